import { http, unwrap } from "../http";
import type { MetricCurves } from "../types";

/** Columns downsampled by the service with every extreme kept, and the cursor the stream goes on from. */
export function fetchMetricHistory(
  runId: string,
  names: readonly string[],
  maxPoints: number,
  signal?: AbortSignal,
): Promise<MetricCurves> {
  return unwrap(
    http.GET("/runs/{run_id}/metrics", {
      params: {
        path: { run_id: runId },
        query: { names: names.join(","), max_points: maxPoints, x: "step" },
      },
      signal,
    }),
  ) as Promise<MetricCurves>;
}
