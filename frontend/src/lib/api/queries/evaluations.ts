import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { CreateEvaluation } from "../types";

/** Milliseconds between two looks at an evaluation that is under way. */
const LOOK_EVERY_MS = 1_500;

/** The evaluations of a run, newest first. */
export function evaluationsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.evaluations(runId),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/evaluations", { params: { path: { run_id: runId } }, signal }),
      ),
    // The stream tells of evaluations of the runs that it follows: not of one that had ended when its page was opened.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "queued" || status === "running")
        ? LOOK_EVERY_MS
        : false,
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
