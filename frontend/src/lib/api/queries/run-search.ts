import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The newest runs whose name, algorithm or environment contains `text`; all if it is empty. */
export function runSearchQuery(text: string, limit: number) {
  const q = text.trim();
  return queryOptions({
    queryKey: keys.runSearch(q, limit),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs", { params: { query: { limit, ...(q !== "" && { q }) } }, signal })),
  });
}
