import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/**
 * The events of a run, oldest first. `when` is part of the key: pass something that changes when there may be
 * new events.
 */
export function runEventsQuery(runId: string, when: string) {
  return queryOptions({
    queryKey: [...keys.events(runId), when],
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/events", { params: { path: { run_id: runId } }, signal })),
    placeholderData: (old) => old,
  });
}
