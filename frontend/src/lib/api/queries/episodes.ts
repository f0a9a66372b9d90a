import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

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

/** How the episodes of all evaluations of a run ended. */
export function endingsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.endings(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/episodes/endings", { params: { query: { runs: runId } }, signal })),
  });
}

/** Episodes of all evaluations of a run that match a condition, lowest return first. */
export function episodeSearchQuery(runId: string, where: string) {
  return queryOptions({
    queryKey: keys.episodes(runId, where),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/episodes", { params: { query: { runs: runId, where } }, signal })),
    retry: false,
  });
}
