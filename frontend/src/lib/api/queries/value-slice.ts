import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

export interface SliceRequest {
  /** Indices of the two components of the observation to vary. */
  x: number;
  y: number;
  /** The step of the policy; the newest policy up to it is used. */
  step: number;
  /** The observation that the other components are taken from; null: the middle of their bounds. */
  at: readonly number[] | null;
}

/** Number of requests before giving up; the service waits a few seconds in each. */
const ATTEMPTS = 12;

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
      throw new Error("No worker has read it. Try again once the service has less to do.");
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}
