import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import { fetchJson, joinNames } from "./run-files";
import { isActive } from "./runs";
import type { Run } from "./types";

/** The events of a run, oldest first, up to the newest, whose number is `last`, or later. */
export function runEventsQuery(runId: string, last: number) {
  return queryOptions({
    queryKey: [...keys.events(runId), last],
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/events", { params: { path: { run_id: runId } }, signal })),
    placeholderData: (old) => old,
  });
}

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

/** Points of each curve: it is context, and drawn faint. */
const POINTS = 1000;

interface PastRequest {
  x: "step" | "episode" | "seconds";
  /** Metrics; all if left out. */
  names?: readonly string[];
}

/** Interval of checks whether a running run has recomputed its discarded rows, in milliseconds. */
const RETRACED = 10_000;

/**
 * Curves that a run has discarded, and those of its parents. They change when the run is rolled back, or recomputes the
 * discarded rows.
 */
export function pastQuery(run: Pick<Run, "id" | "superseded" | "status">, request: PastRequest) {
  const { id, superseded } = run;
  const { x, names } = request;
  return queryOptions({
    queryKey: [...keys.past(id), superseded.length, request],
    queryFn: ({ signal }) => {
      const query = { x, max_points: POINTS, names: names && joinNames(names) };
      const params = { path: { run_id: id }, query };
      return unwrap(http.GET("/runs/{run_id}/metrics/past", { params, signal }));
    },
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      isActive(run) && state.data && state.data.ghosts.length > 0 ? RETRACED : false,
    placeholderData: (old) => old,
  });
}

/** Whether a run may have a past to ask for. */
export function hasPast({ superseded, parent }: Pick<Run, "superseded" | "parent">): boolean {
  return Boolean(parent) || superseded.some(({ first, last }) => first <= last);
}

/** Differences between a run's files and packages and those that the service expects. */
export function driftQuery(runId: string) {
  return queryOptions({
    queryKey: keys.drift(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/drift", { params: { path: { run_id: runId } }, signal })),
    select: (answer) => answer.drift,
  });
}

/** Hints about the run's curves, most severe first, and every rule that was asked. */
export function hintsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.hints(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/hints", { params: { path: { run_id: runId } }, signal })),
  });
}

/** The anatomy of some of the run's updates, oldest first. */
export function anatomyQuery(runId: string) {
  return queryOptions({
    queryKey: keys.anatomy(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/anatomy", { params: { path: { run_id: runId } }, signal })),
    select: (answer) => answer.updates,
  });
}

/** The newest map of a run's visits, or with `step` the newest one up to it. It is asked for again when the run ends. */
export function mapQuery(run: Run, step: number | null) {
  return queryOptions({
    queryKey: [...keys.map(run.id), step, isActive(run)],
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/map", {
          params: { path: { run_id: run.id }, query: step === null ? {} : { step } },
          signal,
        }),
      ),
  });
}

/** What a run knows of a cell of its map, and whether an episode can begin there. */
export function mapCellQuery(runId: string, cell: number) {
  return queryOptions({
    queryKey: [...keys.map(runId), "cell", cell],
    queryFn: ({ signal }) => {
      const path = { run_id: runId, cell };
      return unwrap(http.GET("/runs/{run_id}/map/cells/{cell}", { params: { path }, signal }));
    },
    // Recordings and snapshots come and go.
    staleTime: 0,
  });
}

/** The file of a run's folder that holds its Q-table. */
export const Q_TABLE = "q_table.json";

/** The content of `q_table.json`. */
export interface QTableFile {
  env_id: string;
  step: number;
  states: number;
  actions: string[];
  /** Rows and columns, if the states are the squares of a grid. */
  shape: [rows: number, columns: number] | null;
  /** A letter for each square of the grid. */
  map: string[] | null;
  q: number[][];
  /** How often each action was taken in each state. */
  visits?: number[][];
  /** A boolean for each state, or the list of terminal states. */
  terminal: boolean[] | number[];
}

/** The newest Q-table of the run; null if it has written none. */
export function fetchQTable(runId: string, signal?: AbortSignal): Promise<QTableFile | null> {
  return fetchJson<QTableFile>(runId, Q_TABLE, signal);
}

export function qTableQuery(runId: string) {
  return queryOptions({
    queryKey: keys.table(runId),
    queryFn: ({ signal }) => fetchQTable(runId, signal),
  });
}
