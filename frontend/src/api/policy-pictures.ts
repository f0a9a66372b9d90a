import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { Clip, ClipSaliency, Evaluation, EvaluationSaliency, SaliencyUnderWay } from "./types";

/** A decoded strip takes a few megabytes, so strips that are no longer visible are soon released. */
const KEPT_MS = 20_000;

/** How often a map is asked for again; the service waits some seconds each time. */
const ATTEMPTS = 12;

/** What an agent saw in each frame of a video, in strips of pictures below each other. */
export interface KeptPictures {
  facts: NonNullable<Clip["pictures"]>;
  strip: (number: number) => ReturnType<typeof stripQuery>;
}

/** The images of an evaluation; null if none are kept. */
export function evaluationPictures(evaluation: Evaluation): KeptPictures | null {
  const facts = evaluation.has_pictures ? evaluation.summary?.pictures : null;
  if (!facts) return null;
  const { run_id, id: evaluation_id } = evaluation;
  return {
    facts,
    strip: (strip) =>
      stripQuery(keys.pictureStrip(run_id, evaluation_id, strip), (signal) =>
        unwrap(
          http.GET("/runs/{run_id}/evaluations/{evaluation_id}/pictures/{strip}", {
            params: { path: { run_id, evaluation_id, strip } },
            parseAs: "blob",
            signal,
          }),
        ),
      ),
  };
}

/** The images of a clip; null if its agent sees none. A clip that is made again has new ones. */
export function clipPictures({ run_id, id, steps, pictures }: Clip): KeptPictures | null {
  if (!pictures) return null;
  return {
    facts: pictures,
    strip: (strip) =>
      stripQuery(keys.pictureStrip(run_id, `${id} ${steps?.blake2b ?? ""}`, strip), (signal) =>
        unwrap(
          http.GET("/runs/{run_id}/clips/{clip_id}/pictures/{strip}", {
            params: { path: { run_id, clip_id: id, strip } },
            parseAs: "blob",
            signal,
          }),
        ),
      ),
  };
}

function stripQuery(
  queryKey: ReturnType<typeof keys.pictureStrip>,
  fetchStrip: (signal: AbortSignal) => Promise<unknown>,
) {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => createImageBitmap((await fetchStrip(signal)) as Blob),
    staleTime: Infinity,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
}

export interface SeenStep {
  seen: EvaluationSaliency["seen"];
  bitmap: ImageBitmap;
}

/** The whole stack that the agent saw in a step, and how much each pixel mattered. */
export function saliencyQuery(
  runId: string,
  evaluationId: string,
  step: { episode: number; step: number },
) {
  const path = { run_id: runId, evaluation_id: evaluationId };
  return stackQuery(keys.saliency(runId, evaluationId, step), (signal) =>
    unwrap(
      http.GET("/runs/{run_id}/evaluations/{evaluation_id}/saliency", {
        params: { path, query: step },
        signal,
      }),
    ),
  );
}

/** The same for a step of a clip, whose maps change when it is made again. */
export function clipSaliencyQuery({ run_id, id, steps }: Clip, step: number) {
  const path = { run_id, clip_id: id };
  const made = `${id} ${steps?.blake2b ?? ""}`;
  return stackQuery(keys.saliency(run_id, made, { step }), (signal) =>
    unwrap(
      http.GET("/runs/{run_id}/clips/{clip_id}/saliency", {
        params: { path, query: { step } },
        signal,
      }),
    ),
  );
}

function stackQuery(
  queryKey: ReturnType<typeof keys.saliency>,
  ask: (signal: AbortSignal) => Promise<ClipSaliency | EvaluationSaliency | SaliencyUnderWay>,
) {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<SeenStep> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await ask(signal);
        if ("png" in found) return { seen: found.seen, bitmap: await decoded(found.png) };
      }
      throw new Error(
        "The picture was not created in time. Try again when the service is less busy.",
      );
    },
    staleTime: Infinity,
    gcTime: KEPT_MS,
    retry: false,
    structuralSharing: false,
  });
}

function decoded(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type: "image/png" }));
}

export interface SliceRequest {
  /** Indices of the two components of the observation to vary. */
  x: number;
  y: number;
  /** The step of the policy; the newest policy up to it is used. */
  step: number;
  /** The observation that the other components are taken from; null: the middle of their bounds. */
  at: readonly number[] | null;
}

/** What a policy expects over two components of its observation. */
export function valueSliceQuery(runId: string, request: SliceRequest) {
  const { x, y, step, at } = request;
  return queryOptions({
    queryKey: keys.valueSlice(runId, request),
    queryFn: async ({ signal }) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await unwrap(
          http.GET("/runs/{run_id}/value-slice", {
            params: {
              path: { run_id: runId },
              query: {
                x: String(x),
                y: String(y),
                checkpoint_step: step,
                ...(at && { at: at.join(",") }),
              },
            },
            signal,
          }),
        );
        if ("values" in found) return found;
      }
      throw new Error(
        "The values were not computed in time. Try again when the service is less busy.",
      );
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}
