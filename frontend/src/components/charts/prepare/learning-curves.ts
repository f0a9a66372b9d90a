import type { ChartSource, ChartSpec } from "./model";

const empty = "No finished episode yet";

/** Return of every episode, the mean over the last 100, greedy evaluations, and the return that counts as solved. */
export function rewardChart(
  source: ChartSource,
  rewardThreshold: number | null | undefined,
  evaluated: boolean,
): ChartSpec {
  const solved = rewardThreshold ?? null;
  return {
    id: "rollout/ep_rew_mean",
    title: "Episode return",
    help: "Sum of the rewards of an episode. Episodes while training explore; greedy evaluations, where there are any, do not.",
    series: [
      {
        ...{ id: "episode", source, metric: "episode/reward", label: "Episode" },
        ...{ mode: "points", color: "chart-mean" },
      },
      {
        ...{ id: "mean", source, metric: "rollout/ep_rew_mean", label: "Mean of 100" },
        ...{ mode: "line", color: "series-6", smooth: false },
      },
      ...(evaluated
        ? [
            {
              ...{ id: "eval", source, metric: "eval/mean_reward", label: "Greedy evaluation" },
              ...{ mode: "markers" as const, color: "series-4", spread: "eval/std_reward" },
            },
          ]
        : []),
    ],
    references: solved === null ? [] : [{ label: "Solved at", value: solved }],
    empty,
  };
}

export function lengthChart(source: ChartSource, evaluated: boolean): ChartSpec {
  return {
    id: "rollout/ep_len_mean",
    title: "Episode length",
    help: "Steps from the start of an episode to its end.",
    series: [
      {
        ...{ id: "episode", source, metric: "episode/length", label: "Episode" },
        ...{ mode: "points", color: "chart-mean" },
      },
      {
        ...{ id: "mean", source, metric: "rollout/ep_len_mean", label: "Mean of 100" },
        ...{ mode: "line", color: "series-6", smooth: false },
      },
      ...(evaluated
        ? [
            {
              ...{ id: "eval", source, metric: "eval/mean_ep_length", label: "Greedy evaluation" },
              ...{ mode: "markers" as const, color: "series-4" },
            },
          ]
        : []),
    ],
    references: [],
    empty,
  };
}
