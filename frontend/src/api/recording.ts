import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import type { Detail } from "./types";

export const recordingKeys = {
  level: (run: string) => ["run", run, "recording"] as const,
  episodes: (run: string) => ["run", run, "recorded"] as const,
  frames: (run: string, evaluation: string) => ["run", run, "frames", evaluation] as const,
};

/** The detail at which a run is recorded, and its cost. */
export function recordingQuery(runId: string) {
  return queryOptions({
    queryKey: recordingKeys.level(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/recording", { params: { path: { run_id: runId } }, signal })),
  });
}

/** Records a run at another detail from now on; null: as its family of environments. */
export function chooseRecording(runId: string, detail: Detail | null) {
  const params = { path: { run_id: runId } };
  return unwrap(http.PUT("/runs/{run_id}/recording", { params, body: { detail } }));
}

/** Episodes that a run recorded itself during training, newest first. */
export function recordedQuery(runId: string) {
  const params = { path: { run_id: runId }, query: { by_run: true } };
  return queryOptions({
    queryKey: recordingKeys.episodes(runId),
    queryFn: ({ signal }) => unwrap(http.GET("/runs/{run_id}/evaluations", { params, signal })),
  });
}

/** The frames that are kept of an evaluation as pictures. */
export function framesQuery(runId: string, evaluationId: string) {
  const params = { path: { run_id: runId, evaluation_id: evaluationId } };
  return queryOptions({
    queryKey: recordingKeys.frames(runId, evaluationId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/evaluations/{evaluation_id}/frames", { params, signal })),
    staleTime: Infinity,
  });
}

/** Makes the video of an evaluation from its step records, which verifies them. */
export function filmAgain(runId: string, evaluationId: string) {
  const params = { path: { run_id: runId, evaluation_id: evaluationId } };
  return unwrap(http.POST("/runs/{run_id}/evaluations/{evaluation_id}/film", { params }));
}
