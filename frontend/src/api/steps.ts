import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError, apiBase, http, unwrap } from "./http";
import { keys } from "./keys";
import type { Clip, PolicyReading, StepColumns, StepRecord } from "./types";

export interface StepSearch {
  episode?: number;
  /** Conditions of the form `column:test`, for instance `action:2`; all must hold. */
  where?: string[];
  /** Columns to sort by, comma-separated; a leading `-` sorts in descending order. */
  sort?: string;
  columns?: string;
  from?: number;
  to?: number;
}

/** All records of an episode, and their metadata. */
export interface RecordedSteps {
  info: StepColumns["info"];
  records: StepRecord[];
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

/** Step records of an evaluation. They never change once the evaluation has ended. */
export function stepsQuery(runId: string, evaluationId: string, search: StepSearch) {
  return queryOptions({
    queryKey: keys.steps(runId, evaluationId, search),
    queryFn: ({ signal }) => fetchSteps(runId, evaluationId, search, signal),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** All step records of one episode, in order. Record n belongs to frame `first_frame + n`. */
function episodeStepsQuery(runId: string, evaluationId: string, episode: number) {
  return queryOptions({
    queryKey: keys.steps(runId, evaluationId, { whole: episode }),
    queryFn: ({ signal }) =>
      allRecords((from) => fetchSteps(runId, evaluationId, { episode, from }, signal)),
    staleTime: Infinity,
  });
}

/** All records of a clip: record n describes frame n. A clip that is made again has new records. */
function clipStepsQuery({ run_id, id, steps }: Clip) {
  return queryOptions({
    queryKey: keys.clipSteps(run_id, id, steps?.blake2b ?? ""),
    queryFn: ({ signal }) =>
      allRecords((from) =>
        unwrap(
          http.GET("/runs/{run_id}/clips/{clip_id}/steps", {
            params: { path: { run_id, clip_id: id }, query: { from } },
            signal,
          }),
        ),
      ),
    staleTime: Infinity,
  });
}

async function allRecords(ask: (from: number) => Promise<StepColumns>): Promise<RecordedSteps> {
  const records: StepRecord[] = [];
  for (;;) {
    const found = await ask(records.length);
    records.push(...recordsOf(found));
    if (found.stop >= found.total || found.stop === found.start)
      return { info: found.info, records };
  }
}

/** The cells that a recorded episode walks through; null if its steps were recorded without cells. */
export function episodeCellsQuery(runId: string, evaluationId: string, episode: number) {
  const search = { episode, columns: "cell" };
  return queryOptions({
    queryKey: keys.steps(runId, evaluationId, { cells: episode }),
    queryFn: ({ signal }) => cellsOf(() => fetchSteps(runId, evaluationId, search, signal)),
    staleTime: Infinity,
  });
}

/** The cells that the episode of a clip walks through; null if its steps were recorded without cells. */
export function clipCellsQuery({ run_id, id, steps }: Clip) {
  return queryOptions({
    queryKey: [...keys.clipSteps(run_id, id, steps?.blake2b ?? ""), "cells"],
    queryFn: ({ signal }) =>
      cellsOf(() =>
        unwrap(
          http.GET("/runs/{run_id}/clips/{clip_id}/steps", {
            params: { path: { run_id, clip_id: id }, query: { columns: "cell" } },
            signal,
          }),
        ),
      ),
    staleTime: Infinity,
  });
}

const NO_SUCH_COLUMN = 422;

async function cellsOf(ask: () => Promise<StepColumns>): Promise<number[] | null> {
  try {
    const cells = ((await ask()).columns.cell ?? []) as (number | null)[];
    const known = cells.filter((cell) => cell !== null);
    return known.filter((cell, place) => cell !== known[place - 1]);
  } catch (error) {
    if (error instanceof ApiError && error.status === NO_SUCH_COLUMN) return null;
    throw error;
  }
}

/** The step records of a clip. */
export function useClipSteps(clip: Clip) {
  return useQuery(clipStepsQuery(clip));
}

/** The step records of one episode of an evaluation. Without an episode nothing is requested. */
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
  places: null,
};

/** A columnar response as a list of records. */
export function recordsOf({ columns, info }: StepColumns): StepRecord[] {
  const names = Object.keys(columns);
  const readings = names.filter((name) => name.startsWith("reading."));
  const parts = names.filter((name) => name.startsWith("reward."));
  const count = columns[names[0] ?? ""]?.length ?? 0;
  return Array.from({ length: count }, (_, row) => {
    const cell = (name: string) => columns[name]?.[row] ?? null;
    const reading = Object.fromEntries(
      readings.map((name) => [name.replace("reading.", ""), cell(name)]),
    );
    const components = Object.fromEntries(
      parts.map((name) => [name.replace("reward.", ""), cell(name)]),
    );
    return {
      episode: cell("episode"),
      index: cell("index"),
      observation: cell("observation"),
      observation_hash: cell("observation_hash"),
      action: cell("action"),
      actor: cell("actor"),
      reward: cell("reward"),
      reward_components: parts.length > 0 ? components : null,
      episode_return: cell("episode_return"),
      terminated: cell("terminated"),
      truncated: cell("truncated"),
      elapsed_ms: cell("elapsed_ms"),
      frame_hash: cell("frame_hash"),
      cell: cell("cell"),
      reading: readings.length > 0 ? { ...NO_READING, squashed: info.squashed, ...reading } : null,
    } as StepRecord;
  });
}

export type StepFormat = "ndjson" | "csv" | "parquet" | "minari";

/** A link to the records that `search` finds, in the order of the file. */
export function stepsExport(
  runId: string,
  evaluationId: string,
  format: StepFormat,
  { episode, where = [] }: StepSearch = {},
): string {
  const query = new URLSearchParams({ format });
  if (episode !== undefined) query.set("episode", String(episode));
  for (const condition of where) query.append("where", condition);
  return `${apiBase}/runs/${encodeURIComponent(runId)}/evaluations/${encodeURIComponent(evaluationId)}/export?${query}`;
}

/** The newest verification of an evaluation's step records; polled while it runs. */
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
