import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** What happened to a run, oldest first. `when` changes with what may have brought a new event. */
export function runEventsQuery(runId: string, when: string) {
  return queryOptions({
    queryKey: [...keys.events(runId), when],
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/events", { params: { path: { run_id: runId } }, signal })),
    placeholderData: (old) => old,
  });
}
