import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { RunStatus } from "../types";

/** Several values of one field widen the list, several fields narrow it. */
export interface RunFilter {
  q?: string;
  status?: RunStatus[];
  algo?: string[];
  env_id?: string[];
  tag?: string[];
  sort?: string;
}

/** Runs on a page that is reached by its number, however far down the list. */
export const RUNS_A_PAGE = 60;

/** A page is requested only after it was wanted for this many milliseconds, so that fast scrolling requests nothing. */
const SETTLED_MS = 60;

/** Page `page`, from 0, of the runs that match. */
export function runPageQuery(filter: RunFilter, page: number) {
  return queryOptions({
    queryKey: keys.runPage(filter, page),
    queryFn: async ({ signal }) => {
      if (page > 0) await settled(signal);
      const query = { ...filter, limit: RUNS_A_PAGE, offset: page * RUNS_A_PAGE };
      return unwrap(http.GET("/runs", { params: { query }, signal }));
    },
  });
}

/** The runs with these ids, in no particular order; ids that no run has are left out. The stream keeps them current. */
export function runsByIdQuery(ids: readonly string[]) {
  const query = { id: [...ids], limit: Math.max(1, ids.length) };
  return queryOptions({
    queryKey: keys.runsById(ids),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
    enabled: ids.length > 0,
  });
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
