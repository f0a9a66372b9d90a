import { queryOptions } from "@tanstack/react-query";
import { made } from "./film";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { Future } from "./types";

/** The recorded episodes of an evaluation, or the one of a clip. */
export type EpisodeSource = { run_id: string } & ({ evaluation_id: string } | { clip_id: string });

/** A step of a recorded episode, both from 0; a clip has one episode. */
export interface StepPlace {
  episode: number;
  step: number;
}

/** The action that was taken after a step, and what can be tried instead. */
export function otherActionsQuery(source: EpisodeSource, { episode, step }: StepPlace) {
  return queryOptions({
    queryKey: keys.otherActions(source.run_id, { ...source, episode, step }),
    queryFn: ({ signal }) =>
      "evaluation_id" in source
        ? unwrap(
            http.GET("/runs/{run_id}/evaluations/{evaluation_id}/other-actions", {
              params: { path: source, query: { episode, step } },
              signal,
            }),
          )
        : unwrap(
            http.GET("/runs/{run_id}/clips/{clip_id}/other-actions", {
              params: { path: source, query: { step } },
              signal,
            }),
          ),
    // A clip that is made again has other steps.
    staleTime: 60_000,
    retry: false,
  });
}

/** The future after another action. Resolves when it is played or has failed. */
export function futureQuery(
  source: EpisodeSource,
  { episode, step }: StepPlace,
  action: readonly number[],
) {
  const body = { step, action: [...action] };
  return queryOptions({
    queryKey: keys.future(source.run_id, { ...source, episode, ...body }),
    queryFn: ({ signal }): Promise<Future> =>
      made<Future>(
        signal,
        () =>
          "evaluation_id" in source
            ? unwrap(
                http.POST("/runs/{run_id}/evaluations/{evaluation_id}/futures", {
                  params: { path: source },
                  body: { episode, ...body },
                  signal,
                }),
              )
            : unwrap(
                http.POST("/runs/{run_id}/clips/{clip_id}/futures", {
                  params: { path: source },
                  body,
                  signal,
                }),
              ),
        (future_id) =>
          unwrap(
            http.GET("/runs/{run_id}/futures/{future_id}", {
              params: { path: { run_id: source.run_id, future_id } },
              signal,
            }),
          ),
      ),
    // The service may have deleted the video to make room for newer ones.
    staleTime: 60_000,
    retry: false,
  });
}
