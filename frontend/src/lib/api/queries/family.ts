import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The parent of a fork, the other forks of that one, and its own. */
export function familyQuery(id: string) {
  return queryOptions({
    queryKey: keys.family(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/family", { params: { path: { run_id: id } }, signal })),
  });
}
