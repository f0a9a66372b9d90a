import { queryOptions } from "@tanstack/react-query";
import { apiBase } from "../base";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { paths } from "../schema";
import type { ScoreKind } from "../types";

/** Milliseconds between requests until every trial has ended. */
const REFRESH_MS = 3_000;

export type ExportFormat = NonNullable<
  NonNullable<paths["/experiments/{experiment_id}/export"]["get"]["parameters"]["query"]>["format"]
>;

/** Everything that an experiment shows, made from its trials. */
export function experimentResultsQuery(id: string, score: ScoreKind) {
  return queryOptions({
    queryKey: keys.experimentResults(id, score),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/experiments/{experiment_id}/results", {
          params: { path: { experiment_id: id }, query: { score } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && !state.data.complete ? REFRESH_MS : false),
  });
}

/** URL of the trials, or the variants, as a table. */
export function experimentExport(id: string, score: ScoreKind, format: ExportFormat): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/export?${new URLSearchParams({ score, format })}`;
}

/** URL of the report, one HTML file. */
export function experimentReport(id: string, score: ScoreKind): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/report?${new URLSearchParams({ score })}`;
}
