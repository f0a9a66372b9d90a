import { http, unwrap } from "../http";
import type { MetricCurves, RunsMetricCurves } from "../types";

export interface HistoryQuery {
  /** All metrics if left out. */
  names?: readonly string[] | null;
  maxPoints: number;
  /** `time` is in Unix seconds. */
  x?: "step" | "episode" | "time";
  /** Of a moving average over all points of the run, whatever is left out of the answer; 0: none. */
  smoothing?: number;
  /** Only this stretch of the axis. */
  from?: number;
  to?: number;
  /** Only so many of the newest points. */
  newest?: number;
}

/** Columns downsampled by the service with every extreme kept, and the cursor the stream goes on from. */
export function fetchMetricHistory(
  runId: string,
  history: HistoryQuery,
  signal?: AbortSignal,
): Promise<MetricCurves> {
  const params = { path: { run_id: runId }, query: queryOf(history) };
  return unwrap(http.GET("/runs/{run_id}/metrics/curves", { params, signal }));
}

/** The same of several runs in one answer, beside the problems of those that have none. */
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
  return { names: names?.join(","), max_points: maxPoints, ...averaged, ...part };
}
