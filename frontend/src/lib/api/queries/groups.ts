import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { CreateGroup } from "../types";

/** Creates a run for each of several seeds: all of them, or none. */
export function createGroup(body: CreateGroup) {
  return unwrap(http.POST("/runs/groups", { body }));
}

/** Repeats a run with `count` other seeds, which the service draws, and starts them. */
export function addSeeds(id: string, count: number) {
  return unwrap(
    http.POST("/runs/{run_id}/seeds", {
      params: { path: { run_id: id } },
      body: { seeds: [], count },
    }),
  );
}

/** The most runs of a group that are asked for: as many as one request can start. */
const MOST_SEEDS = 50;

/** The most runs that one request lists, and the most groups that it names. */
const MOST_LISTED = 500;
export const MOST_GROUPS = 50;

/** The runs of these groups, MOST_GROUPS at most, with their summaries. The stream keeps the runs current. */
export function groupRunsQuery(...ids: readonly string[]) {
  const query = { group: [...ids], limit: Math.min(MOST_LISTED, MOST_SEEDS * ids.length) };
  return queryOptions({
    queryKey: keys.runsOfGroups(ids),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
    enabled: ids.length > 0,
  });
}
