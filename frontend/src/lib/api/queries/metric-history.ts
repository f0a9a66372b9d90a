import { http, unwrap } from "../http";
import type { MetricCurves } from "../types";

export interface HistoryQuery {
  /** All metrics if left out. */
  names?: readonly string[] | null;
  maxPoints: number;
  /** `time` is in Unix seconds. */
  x?: "step" | "episode" | "time";
  /** Only this stretch of the axis. */
  from?: number;
  to?: number;
}

/** Columns downsampled by the service with every extreme kept, and the cursor the stream goes on from. */
export function fetchMetricHistory(
  runId: string,
  { names, maxPoints, x = "step", from, to }: HistoryQuery,
  signal?: AbortSignal,
): Promise<MetricCurves> {
  const query = { names: names?.join(","), max_points: maxPoints, x, from, to };
  const path = { run_id: runId };
  return unwrap(http.GET("/runs/{run_id}/metrics/curves", { params: { path, query }, signal }));
}
