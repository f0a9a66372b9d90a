import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The deleted runs, most recently deleted first. */
export const trashQuery = queryOptions({
  queryKey: keys.trash,
  queryFn: ({ signal }) => unwrap(http.GET("/trash", { signal })),
});

export function removeForGood(id: string) {
  return unwrap(http.DELETE("/trash/{run_id}", { params: { path: { run_id: id } } }));
}

export function emptyTrash() {
  return unwrap(http.DELETE("/trash"));
}
