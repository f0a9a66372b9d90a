import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

export function runQuery(id: string) {
  return queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
  });
}
