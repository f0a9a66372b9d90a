import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** What of a run's files and packages differs from what the service expects. */
export function driftQuery(runId: string) {
  return queryOptions({
    queryKey: keys.drift(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/drift", { params: { path: { run_id: runId } }, signal })),
    select: (answer) => answer.drift,
  });
}
