import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { fetchEarly } from "./early";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type {
  CreateGroup,
  CreateRun,
  PatchRun,
  QueueMove,
  ResumeRun,
  RollbackRun,
  Run,
  RunDetail,
  RunStatus,
  SeedGroup,
} from "./types";

/** A filter. Values of one field are alternatives; all fields must match. */
export interface RunFilter {
  q?: string;
  status?: RunStatus[];
  algo?: string[];
  env_id?: string[];
  tag?: string[];
  sort?: string;
  /** Of each group one line, with its summary. */
  grouped?: boolean;
  /** Training runs before all others. */
  training_first?: boolean;
  /** No trials of experiments. */
  without_trials?: boolean;
}

/** Runs per page. */
export const RUNS_A_PAGE = 60;

/** Milliseconds between requests for the summaries of groups that train. */
const SUMMARY_MS = 3_000;

/** Milliseconds before a page is requested, so that fast scrolling requests none of those it passes. */
const SETTLED_MS = 60;

/** Page number `page`, from 0, of the runs that match. */
export function runPageQuery(filter: RunFilter, page: number) {
  return queryOptions({
    queryKey: keys.runPage(filter, page),
    queryFn: async ({ signal }) => {
      if (page > 0) await settled(signal);
      const query = { ...filter, limit: RUNS_A_PAGE, offset: page * RUNS_A_PAGE };
      return unwrap(http.GET("/runs", { params: { query }, signal, fetch: fetchEarly }));
    },
    // The stream tells of single runs; what a group's runs amount to is the service's to say.
    refetchInterval: ({ state }) => (state.data?.groups?.some(isTraining) ? SUMMARY_MS : false),
  });
}

/** The most queued runs that are shown in order. */
const MOST_QUEUED = 100;

/** The runs that wait for a free place, in the order in which they start. */
export const queueQuery = queryOptions({
  queryKey: keys.queue,
  queryFn: ({ signal }) => {
    const query = { status: ["queued" as const], sort: "queued_at", limit: MOST_QUEUED };
    return unwrap(http.GET("/runs", { params: { query }, signal }));
  },
});

/** Moves a queued run to another place. */
export function moveInQueue(id: string, body: QueueMove) {
  return unwrap(http.POST("/runs/{run_id}/queue", { params: { path: { run_id: id } }, body }));
}

/** The runs with these ids, in no particular order, without ids that do not exist. Kept current by the stream. */
export function runsByIdQuery(ids: readonly string[]) {
  const query = { id: [...ids], limit: Math.max(1, ids.length) };
  return queryOptions({
    queryKey: keys.runsById(ids),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
    enabled: ids.length > 0,
  });
}

function isTraining({ ended, statuses, run_ids }: SeedGroup): boolean {
  return ended + (statuses.created ?? 0) < run_ids.length;
}

function settled(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, SETTLED_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("No longer wanted", "AbortError"));
    });
  });
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
  });
}

/** The newest runs whose name, algorithm or environment contains `text`; all if it is empty. */
export function runSearchQuery(text: string, limit: number) {
  const q = text.trim();
  return queryOptions({
    queryKey: keys.runSearch(q, limit),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs", { params: { query: { limit, ...(q !== "" && { q }) } }, signal })),
  });
}

/** Creates a run for each of several seeds: all of them, or none. */
export function createGroup(body: CreateGroup) {
  return unwrap(http.POST("/runs/groups", { body }));
}

/** Repeats a run with `count` other seeds, which the service draws, and starts them. */
export function addSeeds(id: string, count: number) {
  return unwrap(
    http.POST("/runs/{run_id}/seeds", {
      params: { path: { run_id: id } },
      body: { seeds: [], count },
    }),
  );
}

/** Maximum number of runs of a group in one request: as many as one request can start. */
const MOST_SEEDS = 50;

/** The most runs that one request lists, and the most groups that it names. */
const MOST_LISTED = 500;
export const MOST_GROUPS = 50;

/** The runs of these groups, MOST_GROUPS at most, with their summaries. The stream keeps the runs current. */
export function groupRunsQuery(...ids: readonly string[]) {
  const query = { group: [...ids], limit: Math.min(MOST_LISTED, MOST_SEEDS * ids.length) };
  return queryOptions({
    queryKey: keys.runsOfGroups(ids),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
    enabled: ids.length > 0,
  });
}

/** All tags in use, with the number of runs of each. */
export const tagsQuery = queryOptions({
  queryKey: keys.tags,
  queryFn: ({ signal }) => unwrap(http.GET("/tags", { signal })),
});

/** The deleted runs, most recently deleted first. */
export const trashQuery = queryOptions({
  queryKey: keys.trash,
  queryFn: ({ signal }) => unwrap(http.GET("/trash", { signal })),
});

export function removeForGood(id: string) {
  return unwrap(http.DELETE("/trash/{run_id}", { params: { path: { run_id: id } } }));
}

export function emptyTrash() {
  return unwrap(http.DELETE("/trash"));
}

const ENDED: readonly RunStatus[] = ["completed", "stopped", "failed", "interrupted"];

/** Statuses in which no worker is active until a user asks for one. */
const AT_REST: readonly RunStatus[] = ["created", "paused", ...ENDED];

/** Whether a worker is active, or will be without a request. */
export function isActive({ status }: Pick<Run, "status">): boolean {
  return !AT_REST.includes(status);
}

/** Whether the run's training is over. A paused run is not: it can be continued. */
export function hasEnded({ status }: Pick<Run, "status">): boolean {
  return ENDED.includes(status);
}

/**
 * Whether policies of the run are shown with their most likely actions unless the user chooses otherwise, as in the
 * run's evaluations during training.
 */
export function isGreedy({ config }: Pick<RunDetail, "config">): boolean {
  return config?.evaluation?.deterministic !== false;
}

/** Whether the length of the run is known: not if a person plays; for a foreign run, if its program gave it. */
export function hasLength(run: Pick<Run, "actor" | "end_step">): boolean {
  return run.end_step > 0 && run.actor !== "human";
}

/** Share of training that is done. `end_step` is the budget, rounded up to whole rollouts. */
export function progress(run: Pick<Run, "actor" | "step" | "end_step">): number {
  if (!hasLength(run)) return 0;
  return Math.min(1, Math.max(0, run.step / run.end_step));
}

/** The memory that a run would need. The service reports problems of the request when the run is created. */
export function memoryNeededQuery(body: CreateRun) {
  return queryOptions({
    queryKey: keys.memoryNeeded(body),
    queryFn: ({ signal }) => unwrap(http.POST("/runs/memory", { body, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function createRun(body: CreateRun) {
  return unwrap(http.POST("/runs", { body }));
}

export function startRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/start", { params: { path: { run_id: id } } }));
}

export function stopRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/stop", { params: { path: { run_id: id } } }));
}

/** Its curves stop at once. It is paused as soon as a snapshot contains the complete state of training. */
export function pauseRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/pause", { params: { path: { run_id: id } } }));
}

/** Continues from the newest whole snapshot unless `body` names one. */
export function resumeRun(id: string, body: ResumeRun = {}) {
  return unwrap(http.POST("/runs/{run_id}/resume", { params: { path: { run_id: id } }, body }));
}

/** Continues from an earlier snapshot. Everything after the snapshot no longer counts. */
export function rollBackRun(id: string, body: RollbackRun) {
  return unwrap(http.POST("/runs/{run_id}/rollback", { params: { path: { run_id: id } }, body }));
}

export function deleteRun(id: string) {
  return unwrap(http.DELETE("/runs/{run_id}", { params: { path: { run_id: id } } }));
}

/** Restores a deleted run from the trash. */
export function restoreRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/restore", { params: { path: { run_id: id } } }));
}

/** Repairs a damaged run: keeps what can be read and sets the damaged files aside. */
export function repairRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/repair", { params: { path: { run_id: id } } }));
}

/**
 * Changes a run's name, tags or notes; fields left out stay. The request completes even if the page is left
 * meanwhile.
 */
export function patchRun(id: string, body: PatchRun) {
  const params = { path: { run_id: id } };
  return unwrap(http.PATCH("/runs/{run_id}", { params, body, keepalive: true }));
}

/** The parent of a fork, the parent's other forks, and the forks of this run. */
export function familyQuery(id: string) {
  return queryOptions({
    queryKey: keys.family(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/family", { params: { path: { run_id: id } }, signal })),
  });
}
