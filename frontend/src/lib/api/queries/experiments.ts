import { hashKey, queryOptions } from "@tanstack/react-query";
import { apiBase } from "../base";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { paths } from "../schema";
import type { CreateExperiment, Experiment, ScoreKind } from "../types";

/** Milliseconds between requests until every trial has ended. */
const REFRESH_MS = 3_000;

export type ExportFormat = NonNullable<
  NonNullable<paths["/experiments/{experiment_id}/export"]["get"]["parameters"]["query"]>["format"]
>;

/** Milliseconds between requests while an experiment trains. */
const LIVE_MS = 1_500;

/** All experiments, newest first. */
export const experimentsQuery = queryOptions({
  queryKey: keys.experiments,
  queryFn: ({ signal }) =>
    unwrap(http.GET("/experiments", { params: { query: { limit: 500 } }, signal })),
  refetchInterval: ({ state }) =>
    state.data?.experiments.some(({ status }) => status === "running") ? LIVE_MS : false,
});

/**
 * One experiment with each of its trials. When a trial has ended, what the page shows beside them (results, what a
 * search has found) is requested again too, so that both count the same trials.
 */
export function experimentQuery(id: string) {
  const queryKey = keys.experiment(id);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Experiment>(queryKey);
      const experiment = await unwrap(
        http.GET("/experiments/{experiment_id}", {
          params: { path: { experiment_id: id } },
          signal,
        }),
      );
      if (before && hashKey([before.counts]) !== hashKey([experiment.counts])) {
        void client.invalidateQueries({
          queryKey,
          predicate: (query) => query.queryKey.length > queryKey.length,
        });
      }
      return experiment;
    },
    refetchInterval: ({ state }) =>
      state.data && state.data.status !== "completed" && state.data.status !== "failed"
        ? LIVE_MS
        : false,
  });
}

export function createExperiment(body: CreateExperiment): Promise<Experiment> {
  return unwrap(http.POST("/experiments", { body }));
}

/** Begin nothing more and pause what trains, or go on. */
export function directExperiment(id: string, what: "stop" | "resume"): Promise<Experiment> {
  const params = { path: { experiment_id: id } };
  return what === "stop"
    ? unwrap(http.POST("/experiments/{experiment_id}/stop", { params }))
    : unwrap(http.POST("/experiments/{experiment_id}/resume", { params }));
}

/** Delete an experiment; its runs stay. */
export async function deleteExperiment(id: string): Promise<void> {
  await unwrap(
    http.DELETE("/experiments/{experiment_id}", { params: { path: { experiment_id: id } } }),
  );
}

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

/**
 * What a search has found so far; `live`: while it goes on. Asked again as well while a trial of it has not
 * ended: what is known of the experiment may be newer than what is known of its search.
 */
export function searchQuery(id: string, live: boolean) {
  return queryOptions({
    queryKey: keys.experimentSearch(id),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/experiments/{experiment_id}/search", {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      live || state.data?.trials.some((trial) => trial.state === "running") ? REFRESH_MS : false,
  });
}

/** Keep a variant as a preset of the user's own. */
export function keepAsPreset(id: string, variant: string, title: string) {
  return unwrap(
    http.POST("/experiments/{experiment_id}/keep-as-preset", {
      params: { path: { experiment_id: id } },
      body: { variant, title },
    }),
  );
}

/** URL of the trials, or the variants, as a table. */
export function experimentExport(id: string, score: ScoreKind, format: ExportFormat): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/export?${new URLSearchParams({ score, format })}`;
}

/** URL of the report, one HTML file. */
export function experimentReport(id: string, score: ScoreKind): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/report?${new URLSearchParams({ score })}`;
}
