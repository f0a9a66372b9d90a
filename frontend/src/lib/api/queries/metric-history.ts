import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import { joinNames } from "../name-list";
import type { MetricCurves, RunsMetricCurves } from "../types";

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

/** Curves of metrics, downsampled so that extremes stay, and the stream cursor at their end. */
export function fetchMetricHistory(
  runId: string,
  history: HistoryQuery,
  signal?: AbortSignal,
): Promise<MetricCurves> {
  const params = { path: { run_id: runId }, query: queryOf(history) };
  return unwrap(http.GET("/runs/{run_id}/metrics/curves", { params, signal }));
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
