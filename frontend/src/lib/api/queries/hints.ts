import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** Hints about the run's curves, most severe first, and every rule that was asked. */
export function hintsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.hints(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/hints", { params: { path: { run_id: runId } }, signal })),
  });
}
