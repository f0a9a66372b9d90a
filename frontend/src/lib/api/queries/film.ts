import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { Clip } from "../types";

/** What a clip, or a video of growth, is made with. */
export interface ClipWish {
  seed: number;
  greedy: boolean;
}

/** Milliseconds between two looks at a clip that is being made. */
const LOOK_EVERY_MS = 150;

/** The policies of a run that are kept, by step. */
export function policiesQuery(runId: string) {
  return queryOptions({
    queryKey: keys.policies(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/policies", { params: { path: { run_id: runId } }, signal })),
  });
}

/** The clips that were made, the one that was watched last at the end. */
export function clipsQuery(runId: string) {
  return queryOptions({
    queryKey: keys.clips(runId),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/clips", { params: { path: { run_id: runId } }, signal })),
  });
}

/** An episode of the policy of `step`, filmed; answered once it is there, or has failed. */
export function clipQuery(runId: string, step: number, wish: ClipWish) {
  return queryOptions({
    queryKey: keys.clip(runId, { step, ...wish }),
    queryFn: ({ signal }) =>
      made(runId, signal, () =>
        unwrap(
          http.POST("/runs/{run_id}/clips", {
            params: { path: { run_id: runId } },
            body: { step, ...wish },
            signal,
          }),
        ),
      ),
    // The service may have taken the video away for newer ones.
    staleTime: 60_000,
  });
}

/** How the run learned, in one video of some of its policies up to step `until`. */
export function growthVideoQuery(runId: string, until: number, wish: ClipWish) {
  return queryOptions({
    queryKey: keys.clip(runId, { until, ...wish }),
    queryFn: ({ signal }) =>
      made(runId, signal, () =>
        unwrap(
          http.POST("/runs/{run_id}/growth-video", {
            params: { path: { run_id: runId } },
            body: wish,
            signal,
          }),
        ),
      ),
    staleTime: 60_000,
  });
}

async function made(runId: string, signal: AbortSignal, ask: () => Promise<Clip>): Promise<Clip> {
  let clip = await ask();
  while (clip.status === "waiting" || clip.status === "retired") {
    await pause(LOOK_EVERY_MS, signal);
    clip =
      clip.status === "retired"
        ? await ask()
        : await unwrap(
            http.GET("/runs/{run_id}/clips/{clip_id}", {
              params: { path: { run_id: runId, clip_id: clip.id } },
              signal,
            }),
          );
  }
  return clip;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
