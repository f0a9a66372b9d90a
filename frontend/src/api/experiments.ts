import { hashKey, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { paths } from "@/api/schema";
import { apiBase, http, unwrap } from "./http";
import { keys } from "./keys";
import type { CreateExperiment, Experiment, ScoreKind } from "./types";

export type ExportFormat = NonNullable<
  NonNullable<paths["/experiments/{experiment_id}/export"]["get"]["parameters"]["query"]>["format"]
>;

/** Milliseconds between requests for a search that is behind its experiment. */
const BEHIND_MS = 3_000;

/** All experiments, newest first. The stream keeps the list current. */
export const experimentsQuery = queryOptions({
  queryKey: keys.experiments,
  queryFn: ({ signal }) =>
    unwrap(http.GET("/experiments", { params: { query: { limit: 500 } }, signal })),
});

/** Experiments that the list of runs shows in place of their trials. */
const MOST_RECENT = 5;

/** The newest experiments. The stream keeps it current. */
export const recentExperimentsQuery = queryOptions({
  queryKey: keys.recentExperiments,
  queryFn: ({ signal }) =>
    unwrap(http.GET("/experiments", { params: { query: { limit: MOST_RECENT } }, signal })),
});

/**
 * One experiment with each of its trials. The stream keeps it current. When a trial ends, related data (results, the
 * state of a search) is requested again too, so that all of it counts the same trials.
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
  });
}

/** What an experiment would train. The service reports problems when the experiment is created. */
export function experimentEstimateQuery(specification: CreateExperiment) {
  return queryOptions({
    queryKey: keys.experimentEstimate(specification),
    queryFn: ({ signal }) =>
      unwrap(http.POST("/experiments/estimate", { body: specification, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function createExperiment(body: CreateExperiment): Promise<Experiment> {
  return unwrap(http.POST("/experiments", { body }));
}

/** Stops or resumes an experiment: `stop` starts no further trial and pauses running ones. */
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

/** Which scores are summed up, and the return to reach; null: that of the environment. */
export interface WantedResults {
  score: ScoreKind;
  threshold: number | null;
}

/** Everything that an experiment shows, made from its trials. */
export function experimentResultsQuery(id: string, wanted: WantedResults) {
  return queryOptions({
    queryKey: keys.experimentResults(id, wanted.score, wanted.threshold),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/experiments/{experiment_id}/results", {
          params: { path: { experiment_id: id }, query: wanted },
          signal,
        }),
      ),
  });
}

/**
 * The state of a search, requested again whenever one of its trials ends. `over`: whether its experiment has ended. If
 * a trial still runs in the response then, the response is out of date, and it is requested again.
 */
export function searchQuery(id: string, over: boolean) {
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
      over && state.data?.trials.some((trial) => trial.state === "running") ? BEHIND_MS : false,
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
export function experimentExport(id: string, wanted: WantedResults, format: ExportFormat): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/export?${asked(wanted, { format })}`;
}

/** URL of the report, one HTML file. */
export function experimentReport(id: string, wanted: WantedResults): string {
  return `${apiBase}/experiments/${encodeURIComponent(id)}/report?${asked(wanted)}`;
}

function asked({ score, threshold }: WantedResults, others: Record<string, string> = {}) {
  return new URLSearchParams({
    ...{ score, ...others },
    ...(threshold !== null && { threshold: String(threshold) }),
  });
}
