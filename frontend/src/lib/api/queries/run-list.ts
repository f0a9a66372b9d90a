import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { RunStatus, SeedGroup } from "../types";

/** A filter. Values of one field are alternatives; all fields must match. */
export interface RunFilter {
  q?: string;
  status?: RunStatus[];
  algo?: string[];
  env_id?: string[];
  tag?: string[];
  sort?: string;
  /** Of each group one line, with its summary. */
  grouped?: boolean;
}

/** Runs per page. */
export const RUNS_A_PAGE = 60;

/** Milliseconds between requests for the summaries of groups that train. */
const SUMMARY_MS = 3_000;

/** Milliseconds before a page is requested, so that fast scrolling requests none of those it passes. */
const SETTLED_MS = 60;

/** Page number `page`, from 0, of the runs that match. */
export function runPageQuery(filter: RunFilter, page: number) {
  return queryOptions({
    queryKey: keys.runPage(filter, page),
    queryFn: async ({ signal }) => {
      if (page > 0) await settled(signal);
      const query = { ...filter, limit: RUNS_A_PAGE, offset: page * RUNS_A_PAGE };
      return unwrap(http.GET("/runs", { params: { query }, signal }));
    },
    // The stream tells of single runs; what a group's runs amount to is the service's to say.
    refetchInterval: ({ state }) => (state.data?.groups?.some(isTraining) ? SUMMARY_MS : false),
  });
}

/** The runs with these ids, in no particular order, without ids that do not exist. Kept current by the stream. */
export function runsByIdQuery(ids: readonly string[]) {
  const query = { id: [...ids], limit: Math.max(1, ids.length) };
  return queryOptions({
    queryKey: keys.runsById(ids),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
    enabled: ids.length > 0,
  });
}

function isTraining({ ended, statuses, run_ids }: SeedGroup): boolean {
  return ended + (statuses.created ?? 0) < run_ids.length;
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
