import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The events of a run, oldest first, up to the newest, whose number is `last`, or later. */
export function runEventsQuery(runId: string, last: number) {
  return queryOptions({
    queryKey: [...keys.events(runId), last],
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/events", { params: { path: { run_id: runId } }, signal })),
    placeholderData: (old) => old,
  });
}
