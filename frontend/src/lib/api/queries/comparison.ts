import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The fewest that the service answers: the curves of a comparison come by themselves, live. */
const POINTS = 4;

/** Several runs side by side; `threshold` null takes the environment's own. */
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
