import { MEAN_LENGTH, MEAN_RETURN } from "@/stream/series/run-series";
import type { ChartSource, ChartSpec, Reference, SeriesSpec } from "./model";

const empty = "No finished episode yet";

interface LearningCurveOptions {
  title: string;
  help?: string;
  unit?: string;
  /** Whether there are evaluations, and whether they are greedy or sample actions; null: there are none. */
  evaluated: "greedy" | "sampled" | null;
  /** Number of the last episodes that are averaged; null while unknown. */
  meanEpisodes?: number | null;
  empty?: string;
}

/** Levels of the return in an environment. */
export interface ReturnLevels {
  /** The reward threshold from which the environment counts as solved. */
  threshold: number | null;
  /** Mean return of random actions. */
  random: number | null;
}

/** A chart of the return: every episode, the mean over the last ones, evaluations, and reference levels. */
export function rewardChart(
  source: ChartSource,
  levels: ReturnLevels,
  { evaluated, meanEpisodes, ...words }: LearningCurveOptions,
): ChartSpec {
  return {
    ...{ id: "rollout/ep_rew_mean", empty, ...words },
    series: [
      ...episodes(source, "episode/reward", { metric: MEAN_RETURN, of: meanEpisodes }),
      ...(evaluated ? [evaluations(source, evaluated, "eval/mean_reward", "eval/std_reward")] : []),
    ],
    references: returnLevels(levels),
  };
}

/** Reference lines in a chart of returns: the threshold, and the return of random actions. */
export function returnLevels({ threshold, random }: ReturnLevels): Reference[] {
  return [
    ...(threshold === null ? [] : [{ label: "Reward threshold", value: threshold }]),
    ...(random === null ? [] : [{ label: "Random", value: random, isBaseline: true }]),
  ];
}

/** A chart of episode length: every episode, the mean over the last ones, and evaluations. */
export function lengthChart(
  source: ChartSource,
  { evaluated, meanEpisodes, ...words }: LearningCurveOptions,
): ChartSpec {
  return {
    ...{ id: "rollout/ep_len_mean", empty, references: [], ...words },
    series: [
      ...episodes(source, "episode/length", { metric: MEAN_LENGTH, of: meanEpisodes }),
      ...(evaluated ? [evaluations(source, evaluated, "eval/mean_ep_length")] : []),
    ],
  };
}

interface MeanLine {
  metric: string;
  /** Number of episodes in the average, if known. */
  of?: number | null;
}

function episodes(source: ChartSource, metric: string, mean: MeanLine): SeriesSpec[] {
  const label = mean.of ? `Mean of ${mean.of}` : "Mean";
  return [
    {
      ...{ id: "episode", source, metric, label: "Episode" },
      ...{ mode: "points", color: "chart-mean" },
    },
    {
      ...{ id: "mean", source, metric: mean.metric, label },
      ...{ mode: "line", color: "series-6", smooth: false },
    },
  ];
}

function evaluations(
  source: ChartSource,
  how: "greedy" | "sampled",
  metric: string,
  spread?: string,
): SeriesSpec {
  const label = how === "greedy" ? "Greedy evaluation" : "Evaluation, sampled actions";
  return {
    ...{ id: "eval", source, metric, label },
    ...{ mode: "markers", color: "series-4", spread },
  };
}
