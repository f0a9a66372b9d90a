import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { RunFilter } from "./runs";

/** What is asked over all runs: `by` groups them, `measure` is the column that counts as their score. */
export interface AnalyticsQuestion {
  by: string[];
  measure: string;
  filter: Pick<RunFilter, "q" | "status" | "algo" | "env_id" | "tag">;
  /** Ids of the only runs that are asked about; empty: all. */
  runs?: readonly string[];
}

const asked = ({ by, measure, filter, runs = [] }: AnalyticsQuestion) => ({
  ...{ by, measure, ...filter },
  ...(runs.length > 0 && { run: runs.join(",") }),
});

export const analyticsSchemaQuery = queryOptions({
  queryKey: keys.analytics("schema"),
  queryFn: ({ signal }) => unwrap(http.GET("/analytics/schema", { signal })),
});

/** Figures of each group, with an interval and a box. */
export function runGroupsQuery(question: AnalyticsQuestion) {
  return queryOptions({
    queryKey: keys.analytics("groups", question),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/analytics/groups", { params: { query: asked(question) }, signal })),
  });
}

/** A setting of each run against its measure. */
export function runScatterQuery(question: AnalyticsQuestion, x: string) {
  return queryOptions({
    queryKey: keys.analytics("scatter", { ...question, x }),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/analytics/scatter", { params: { query: { ...asked(question), x } }, signal }),
      ),
  });
}

/** Learning curves of each group, with bands. */
export function groupCurvesQuery(question: AnalyticsQuestion) {
  return queryOptions({
    queryKey: keys.analytics("curves", question),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/analytics/curves", { params: { query: asked(question) }, signal })),
  });
}

/** The answer to a SELECT, which is never asked again by itself. */
export function sqlQuery(sql: string) {
  return queryOptions({
    queryKey: keys.analytics("sql", sql),
    queryFn: ({ signal }) => unwrap(http.POST("/analytics/query", { body: { sql }, signal })),
    enabled: sql !== "",
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
