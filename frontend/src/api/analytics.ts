import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { RunFilter } from "./runs";

/** A question about all runs: `by` groups them, and `measure` is the column used as their score. */
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

/** Values of one run by column; of a metric, as `metric:<name>`, its newest value. */
export type RunValues = Readonly<Record<string, string | number | boolean | null>>;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Columns of the table of runs, and the newest values of metrics, for these runs: by run id. */
export function extraValuesQuery(
  columns: readonly string[],
  metrics: readonly string[],
  runIds: readonly string[],
) {
  return queryOptions({
    queryKey: keys.analytics("values", { columns, metrics, runIds }),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, RunValues>> => {
      const among = runIds.map(quoted).join(", ");
      const ask = (sql: string, limit: number) =>
        unwrap(http.POST("/analytics/query", { body: { sql, limit }, signal }));
      const names = columns.map((name) => `"${name.replaceAll('"', "")}"`);
      const [plain, newest] = await Promise.all([
        names.length > 0
          ? ask(`SELECT id, ${names.join(", ")} FROM runs WHERE id IN (${among})`, runIds.length)
          : null,
        metrics.length > 0
          ? ask(
              `SELECT run_id, name, arg_max(value, step) FROM metrics WHERE run_id IN (${among}) ` +
                `AND name IN (${metrics.map(quoted).join(", ")}) GROUP BY run_id, name`,
              runIds.length * metrics.length,
            )
          : null,
      ]);
      const found = new Map(runIds.map((id) => [id, {} as Record<string, RunValues[string]>]));
      for (const [id, ...values] of plain?.rows ?? []) {
        columns.forEach((column, i) => {
          const run = found.get(String(id));
          if (run) run[column] = asValue(values[i]);
        });
      }
      for (const [id, name, value] of newest?.rows ?? []) {
        const run = found.get(String(id));
        if (run) run[`metric:${String(name)}`] = asValue(value);
      }
      for (const run of found.values()) {
        for (const name of metrics) run[`metric:${name}`] ??= null;
      }
      return found;
    },
    retry: false,
    staleTime: 30_000,
  });
}

function asValue(value: unknown): RunValues[string] {
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : (value as string | number | boolean);
}
