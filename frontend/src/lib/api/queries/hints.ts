import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** What the run's own curves suggest, the gravest first. */
export function hintsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.hints(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/hints", { params: { path: { run_id: runId } }, signal })),
    select: (answer) => answer.hints,
  });
}
