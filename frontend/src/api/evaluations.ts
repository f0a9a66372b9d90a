import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { CreateEvaluation } from "./types";

/** Milliseconds between two looks at an evaluation that is under way. */
const LOOK_EVERY_MS = 1_500;

/** The evaluations of a run, newest first. */
export function evaluationsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.evaluations(runId),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/evaluations", { params: { path: { run_id: runId } }, signal }),
      ),
    // The stream tells of evaluations of the runs that it follows: not of one that had ended when its page was opened.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "queued" || status === "running")
        ? LOOK_EVERY_MS
        : false,
  });
}

export function evaluate(runId: string, wanted: CreateEvaluation) {
  return unwrap(
    http.POST("/runs/{run_id}/evaluations", {
      params: { path: { run_id: runId } },
      body: wanted,
    }),
  );
}

/** Which episodes of a completed evaluation are worth watching. It never changes. */
export function judgementQuery(runId: string, evaluationId: string) {
  return queryOptions({
    queryKey: keys.judgement(runId, evaluationId),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/evaluations/{evaluation_id}/judgement", {
          params: { path: { run_id: runId, evaluation_id: evaluationId } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });
}

/** How the episodes of all evaluations of some runs, of one environment, ended. */
export function endingsQuery(runIds: readonly string[]) {
  return queryOptions({
    queryKey: keys.endings(runIds),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/episodes/endings", { params: { query: { runs: runIds.join(",") } }, signal }),
      ),
  });
}

/** Episodes of all evaluations of some runs that match a condition, lowest return first. */
export function episodeSearchQuery(runIds: readonly string[], where: string) {
  return queryOptions({
    queryKey: keys.episodes(runIds, where),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/episodes", { params: { query: { runs: runIds.join(","), where } }, signal }),
      ),
    retry: false,
  });
}
