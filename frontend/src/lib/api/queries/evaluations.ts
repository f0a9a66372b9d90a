import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { CreateEvaluation } from "../types";

/** Newest first. */
export function evaluationsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.evaluations(runId),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/evaluations", { params: { path: { run_id: runId } }, signal }),
      ),
  });
}

export function evaluate(runId: string, wanted: CreateEvaluation) {
  return unwrap(
    http.POST("/runs/{run_id}/evaluations", {
      params: { path: { run_id: runId } },
      body: wanted,
    }),
  );
}
