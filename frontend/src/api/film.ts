import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { Clip } from "./types";

/** Options of a clip or a growth video. */
export interface ClipOptions {
  seed: number;
  greedy: boolean;
}

/**
 * Milliseconds between two requests for a clip that is being rendered: a share of the time so far, so that the delay is
 * small and a busy machine gets few requests.
 */
const LOOK_AGAIN = { least: 80, most: 500, share: 0.2 };
/** The same for a picture, which is made only when the machine is idle. */
const LOOK_FOR_PICTURE = { least: 500, most: 3_000, share: 0.2 };

/** The policies kept of a run, by step. */
export function policiesQuery(runId: string) {
  return queryOptions({
    queryKey: keys.policies(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/policies", { params: { path: { run_id: runId } }, signal })),
  });
}

/** The clips of a run, least recently watched first. */
export function clipsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.clips(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/clips", { params: { path: { run_id: runId } }, signal })),
  });
}

/** A clip of one episode with the policy of `step`. Resolves when it is rendered or has failed. */
export function clipQuery(runId: string, step: number, options: ClipOptions) {
  return queryOptions({
    queryKey: keys.clip(runId, { step, ...options }),
    queryFn: ({ signal }) =>
      made(
        signal,
        () =>
          unwrap(
            http.POST("/runs/{run_id}/clips", {
              params: { path: { run_id: runId } },
              body: { step, ...options },
              signal,
            }),
          ),
        (id) => find(runId, id, signal),
      ),
    // The service may have deleted the video to make room for newer ones.
    staleTime: 60_000,
  });
}

/** A small picture of an episode with the policy of `step`, without its video. Resolves when it is there or has failed. */
export function pictureQuery(runId: string, step: number, options: ClipOptions) {
  const body = { step, ...options, picture_only: true };
  return queryOptions({
    queryKey: keys.clip(runId, body),
    queryFn: async ({ signal }) => {
      const path = { run_id: runId };
      const asked = performance.now();
      let clip = await unwrap(
        http.POST("/runs/{run_id}/clips", { params: { path }, body, signal }),
      );
      while (clip.status === "waiting") {
        await pause(nextLook(LOOK_FOR_PICTURE, asked), signal);
        clip = await find(runId, clip.id, signal);
      }
      return clip;
    },
  });
}

/** One video of policies up to step `until`, which shows how the run learned. */
export function growthVideoQuery(runId: string, until: number, options: ClipOptions) {
  return queryOptions({
    queryKey: keys.clip(runId, { until, ...options }),
    queryFn: ({ signal }) =>
      made(
        signal,
        () =>
          unwrap(
            http.POST("/runs/{run_id}/growth-video", {
              params: { path: { run_id: runId } },
              body: options,
              signal,
            }),
          ),
        (id) => find(runId, id, signal),
      ),
    staleTime: 60_000,
  });
}

/** Milliseconds until the next request for something that was first requested at `asked`. */
function nextLook({ least, most, share }: typeof LOOK_AGAIN, asked: number): number {
  return Math.min(most, Math.max(least, share * (performance.now() - asked)));
}

/** Requests a video, and repeats the request until it is rendered or has failed. */
export async function made<V extends Pick<Clip, "id" | "status">>(
  signal: AbortSignal,
  ask: () => Promise<V>,
  look: (id: string) => Promise<V>,
): Promise<V> {
  const asked = performance.now();
  let video = await ask();
  while (video.status === "waiting" || video.status === "retired") {
    await pause(nextLook(LOOK_AGAIN, asked), signal);
    video = video.status === "retired" ? await ask() : await look(video.id);
  }
  return video;
}

function find(runId: string, clipId: string, signal: AbortSignal): Promise<Clip> {
  const path = { run_id: runId, clip_id: clipId };
  return unwrap(http.GET("/runs/{run_id}/clips/{clip_id}", { params: { path }, signal }));
}

/** Resolves after `ms` milliseconds; rejects when `signal` is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
