import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import { joinNames } from "./run-files";
import { isActive } from "./runs";
import type { Comparison, MetricCurves, RunsMetricCurves } from "./types";

export interface HistoryQuery {
  /** Names of metrics; all if left out. */
  names?: readonly string[] | null;
  maxPoints: number;
  /** `seconds` are those of training. */
  x?: "step" | "episode" | "seconds";
  /** Smoothing of the moving average, computed over all points of the run; 0 for none. */
  smoothing?: number;
  /** First position of the part of the axis to return. */
  from?: number;
  to?: number;
  /** Return only this many of the newest points. */
  newest?: number;
}

/**
 * Curves of metrics, downsampled so that extremes stay, and the stream cursor at their end. `send`: for a request that must
 * not wait for the first one of a page (`first-request`).
 */
export function fetchMetricHistory(
  runId: string,
  history: HistoryQuery,
  signal?: AbortSignal,
  send?: (request: Request) => Promise<Response>,
): Promise<MetricCurves> {
  const params = { path: { run_id: runId }, query: queryOf(history) };
  return unwrap(http.GET("/runs/{run_id}/metrics/curves", { params, signal, fetch: send }));
}

/** Points of a curve that is not drawn, but read. */
const READ_POINTS = 2_000;

/** One metric over the whole run; null if the run has logged none. */
export function metricCurveQuery(runId: string, name: string, x: HistoryQuery["x"]) {
  return queryOptions({
    queryKey: keys.metricCurve(runId, name, x),
    queryFn: async ({ signal }) => {
      const history = { names: [name], maxPoints: READ_POINTS, x };
      return (await fetchMetricHistory(runId, history, signal)).series[name] ?? null;
    },
  });
}

/** The same for several runs in one request; runs that fail have a problem instead. */
export function fetchMetricHistories(
  runIds: readonly string[],
  history: HistoryQuery,
  signal?: AbortSignal,
): Promise<RunsMetricCurves> {
  const query = { runs: runIds.join(","), ...queryOf(history) };
  return unwrap(http.GET("/metrics/curves", { params: { query }, signal }));
}

function queryOf({ names, maxPoints, smoothing, ...part }: HistoryQuery) {
  const averaged = smoothing ? { smoothing } : {};
  return {
    names: names ? joinNames(names) : undefined,
    max_points: maxPoints,
    ...averaged,
    ...part,
  };
}

/** The learning curve over seeds that a preset was measured with. It never changes: another curve has another id. */
export const measuredCurveQuery = (id: string) =>
  queryOptions({
    queryKey: ["measured-curve", id],
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/presets/curves/{curve_id}", { params: { path: { curve_id: id } }, signal }),
      ),
    staleTime: Infinity,
  });

/** The minimum that the service allows; the page loads the curves separately. */
const POINTS = 4;

/** Points of the curves of groups. */
const SEED_CURVE_POINTS = 300;

/**
 * Whether the curves still grow. The page may know newer states of the runs than their curves, so curves of runs that
 * have ended since are requested once more.
 */
const trains = (runs: Comparison["runs"]) => runs.some(({ run }) => isActive(run));

/**
 * The curves of the groups among the runs, over `x`: the return, and each of `metrics`. `live` while they grow.
 */
export function seedCurvesQuery(
  runIds: readonly string[],
  x: "step" | "seconds" | "episode",
  metrics: readonly string[] = [],
) {
  const query = {
    runs: runIds.join(","),
    max_points: SEED_CURVE_POINTS,
    x,
    ...(metrics.length > 0 && { seed_metrics: joinNames(metrics) }),
  };
  return queryOptions({
    queryKey: keys.seedCurves(runIds, x, metrics),
    queryFn: async ({ signal }) => {
      const { steps, seeds, runs } = await unwrap(
        http.GET("/compare", { params: { query }, signal }),
      );
      return { x, steps, seeds, live: trains(runs) };
    },
  });
}

/** Points of the mean returns of each run. */
const RETURN_POINTS = 1_000;

/** The mean returns of several runs over their steps; `live` while they grow. */
export function meanReturnsQuery(runIds: readonly string[]) {
  const query = { runs: runIds.join(","), max_points: RETURN_POINTS };
  return queryOptions({
    queryKey: keys.meanReturns(runIds),
    queryFn: async ({ signal }) => {
      const { steps, runs } = await unwrap(http.GET("/compare", { params: { query }, signal }));
      return { steps, runs: runs.map(({ run, y }) => ({ id: run.id, y })), live: trains(runs) };
    },
  });
}

/** A comparison of several runs. `threshold` null means the environment's own. */
export function comparisonQuery(runIds: readonly string[], threshold: number | null) {
  const query = {
    runs: runIds.join(","),
    max_points: POINTS,
    ...(threshold !== null && { threshold }),
  };
  return queryOptions({
    queryKey: keys.comparison(runIds, threshold),
    queryFn: ({ signal }) => unwrap(http.GET("/compare", { params: { query }, signal })),
    enabled: runIds.length > 0,
  });
}

/** The videos of two evaluations in one, each `RUN/EVALUATION`. It is made on request, which takes some seconds. */
export function sideBySideVideo(first: string, second: string) {
  return unwrap(
    http.GET("/compare/video", { params: { query: { first, second } }, parseAs: "blob" }),
  );
}
