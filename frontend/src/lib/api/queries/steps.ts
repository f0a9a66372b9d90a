import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { apiLink } from "../base";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { PolicyReading, StepColumns, StepRecord } from "../types";

export interface StepSearch {
  episode?: number;
  /** `column:test`, as in `action:2`; all of them hold. */
  where?: string[];
  /** Columns, comma-separated; `-reward` from the greatest down. */
  sort?: string;
  columns?: string;
  from?: number;
  to?: number;
}

function fetchSteps(runId: string, evaluationId: string, search: StepSearch, signal: AbortSignal) {
  const path = { run_id: runId, evaluation_id: evaluationId };
  return unwrap(
    http.GET("/runs/{run_id}/evaluations/{evaluation_id}/steps", {
      params: { path, query: search },
      signal,
    }),
  );
}

/** Some step records. They never change once the evaluation has ended. */
export function stepsQuery(runId: string, evaluationId: string, search: StepSearch) {
  return queryOptions({
    queryKey: keys.steps(runId, evaluationId, search),
    queryFn: ({ signal }) => fetchSteps(runId, evaluationId, search, signal),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** All records of one episode, from 0, in their order: record n is what frame `first_frame + n` shows. */
export function episodeStepsQuery(runId: string, evaluationId: string, episode: number) {
  return queryOptions({
    queryKey: keys.steps(runId, evaluationId, { whole: episode }),
    queryFn: async ({ signal }) => {
      const records: StepRecord[] = [];
      for (;;) {
        const search = { episode, from: records.length };
        const found = await fetchSteps(runId, evaluationId, search, signal);
        records.push(...recordsOf(found));
        if (found.stop >= found.total || found.stop === found.start)
          return { info: found.info, records };
      }
    },
    staleTime: Infinity,
  });
}

/** The step records of one episode of an evaluation; nothing is asked for without one. */
export function useEvaluationSteps(runId: string, evaluationId: string, episode: number | null) {
  return useQuery({
    ...episodeStepsQuery(runId, evaluationId, episode ?? 0),
    enabled: episode !== null,
  });
}

const NO_READING: PolicyReading = {
  value: null,
  probabilities: null,
  mean: null,
  deviation: null,
  squashed: false,
  q_values: null,
  action_value: null,
  quantiles: null,
};

/** The columns of an answer as records. */
export function recordsOf({ columns, info }: StepColumns): StepRecord[] {
  const names = Object.keys(columns);
  const readings = names.filter((name) => name.startsWith("reading."));
  const count = columns[names[0] ?? ""]?.length ?? 0;
  return Array.from({ length: count }, (_, row) => {
    const cell = (name: string) => columns[name]?.[row] ?? null;
    const reading = Object.fromEntries(
      readings.map((name) => [name.replace("reading.", ""), cell(name)]),
    );
    return {
      episode: cell("episode"),
      index: cell("index"),
      observation: cell("observation"),
      observation_hash: cell("observation_hash"),
      action: cell("action"),
      actor: cell("actor"),
      reward: cell("reward"),
      episode_return: cell("episode_return"),
      terminated: cell("terminated"),
      truncated: cell("truncated"),
      elapsed_ms: cell("elapsed_ms"),
      frame_hash: cell("frame_hash"),
      reading: readings.length > 0 ? { ...NO_READING, squashed: info.squashed, ...reading } : null,
    } as StepRecord;
  });
}

export type StepFormat = "ndjson" | "csv" | "parquet" | "minari";

export function stepsExport(runId: string, evaluationId: string, format: StepFormat): string {
  return apiLink(
    `/api/runs/${encodeURIComponent(runId)}/evaluations/${encodeURIComponent(evaluationId)}/export?format=${format}`,
  );
}

/** How the last verification goes or went; asked again while one is under way. */
export function verificationQuery(runId: string, evaluationId: string) {
  const path = { run_id: runId, evaluation_id: evaluationId };
  return queryOptions({
    queryKey: keys.verification(runId, evaluationId),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/evaluations/{evaluation_id}/verify", { params: { path }, signal }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 500 : false),
  });
}

export function verifySteps(runId: string, evaluationId: string) {
  const path = { run_id: runId, evaluation_id: evaluationId };
  return unwrap(
    http.POST("/runs/{run_id}/evaluations/{evaluation_id}/verify", { params: { path } }),
  );
}
