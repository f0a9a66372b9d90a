import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** All tags in use, with the number of runs of each. */
export const tagsQuery = queryOptions({
  queryKey: keys.tags,
  queryFn: ({ signal }) => unwrap(http.GET("/tags", { signal })),
});
