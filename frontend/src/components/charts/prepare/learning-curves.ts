import type { ChartSpec } from "./model";

const empty = "No finished episode yet";

/** Return of every episode, the mean over the last 100, and the return that counts as solved. */
export function rewardChart(rewardThreshold: number | null | undefined): ChartSpec {
  const solved = rewardThreshold ?? null;
  return {
    title: "Episode return",
    series: [
      { metric: "episode/reward", label: "Episode", look: "points", color: "chart-raw" },
      { metric: "rollout/ep_rew_mean", label: "Mean of 100", look: "line", color: "chart-mean" },
    ],
    references: solved === null ? [] : [{ label: "Solved at", value: solved }],
    empty,
  };
}

export function lengthChart(): ChartSpec {
  return {
    title: "Episode length",
    series: [
      { metric: "episode/length", label: "Episode", look: "points", color: "chart-raw" },
      { metric: "rollout/ep_len_mean", label: "Mean of 100", look: "line", color: "chart-mean" },
    ],
    references: [],
    empty,
  };
}

export function metricsOf(specs: readonly ChartSpec[]): string[] {
  return [...new Set(specs.flatMap(({ series }) => series.map(({ metric }) => metric)))];
}
