import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** Several runs side by side; `threshold` null takes the environment's own. */
export function comparisonQuery(runIds: readonly string[], threshold: number | null) {
  const query = { runs: runIds.join(","), ...(threshold !== null && { threshold }) };
  return queryOptions({
    queryKey: keys.comparison(runIds, threshold),
    queryFn: ({ signal }) => unwrap(http.GET("/compare", { params: { query }, signal })),
    enabled: runIds.length > 0,
  });
}
