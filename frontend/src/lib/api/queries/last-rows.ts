import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** The last rows of the metrics journal, unchanged. */
export function lastRowsQuery(runId: string, rows: number) {
  return queryOptions({
    queryKey: keys.tail(runId, `metrics.jsonl:${rows}`),
    queryFn: async ({ signal }) => {
      const path = { run_id: runId };
      const answer = await unwrap(
        http.GET("/runs/{run_id}/metrics/rows", {
          params: { path, query: { tail: rows } },
          signal,
        }),
      );
      return answer.rows;
    },
    staleTime: 0,
  });
}
