import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The tags in use, each with how many runs carry it. */
export const tagsQuery = queryOptions({
  queryKey: keys.tags,
  queryFn: ({ signal }) => unwrap(http.GET("/tags", { signal })),
});
