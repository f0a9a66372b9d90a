import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The anatomy of some of the run's updates, oldest first. */
export function anatomyQuery(runId: string) {
  return queryOptions({
    queryKey: keys.anatomy(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/anatomy", { params: { path: { run_id: runId } }, signal })),
    select: (answer) => answer.updates,
  });
}
