import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The minimum that the service allows; the page loads the curves separately. */
const POINTS = 4;

/** A comparison of several runs. `threshold` null means the environment's own. */
export function comparisonQuery(runIds: readonly string[], threshold: number | null) {
  const query = {
    runs: runIds.join(","),
    max_points: POINTS,
    ...(threshold !== null && { threshold }),
  };
  return queryOptions({
    queryKey: keys.comparison(runIds, threshold),
    queryFn: ({ signal }) => unwrap(http.GET("/compare", { params: { query }, signal })),
    enabled: runIds.length > 0,
  });
}
