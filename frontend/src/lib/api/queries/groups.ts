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

/** The runs of a group with their summary. The stream keeps the runs current. */
export function groupRunsQuery(id: string) {
  const query = { group: [id], limit: MOST_SEEDS };
  return queryOptions({
    queryKey: keys.runsOfGroup(id),
    queryFn: ({ signal }) => unwrap(http.GET("/runs", { params: { query }, signal })),
  });
}
