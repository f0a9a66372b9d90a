import { queryOptions } from "@tanstack/react-query";
import type { EvaluationSaliency } from "../types";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** A decoded strip takes a few megabytes; one that was played past is soon given up. */
const KEPT_MS = 20_000;

/** How often a map is asked for again; the service waits some seconds each time. */
const ATTEMPTS = 12;

/** What the agent saw in successive frames of an evaluation, one picture below the other. */
export function pictureStripQuery(runId: string, evaluationId: string, strip: number) {
  return queryOptions({
    queryKey: keys.pictureStrip(runId, evaluationId, strip),
    queryFn: async ({ signal }) => {
      const path = { run_id: runId, evaluation_id: evaluationId, strip };
      const blob = await unwrap(
        http.GET("/runs/{run_id}/evaluations/{evaluation_id}/pictures/{strip}", {
          params: { path },
          parseAs: "blob",
          signal,
        }),
      );
      return createImageBitmap(blob as Blob);
    },
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
  return queryOptions({
    queryKey: keys.saliency(runId, evaluationId, step),
    queryFn: async ({ signal }): Promise<SeenStep> => {
      const path = { run_id: runId, evaluation_id: evaluationId };
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await unwrap(
          http.GET("/runs/{run_id}/evaluations/{evaluation_id}/saliency", {
            params: { path, query: step },
            signal,
          }),
        );
        if ("png" in found) return { seen: found.seen, bitmap: await decoded(found.png) };
      }
      throw new Error("No worker has made it. Try again once the service has less to do.");
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
