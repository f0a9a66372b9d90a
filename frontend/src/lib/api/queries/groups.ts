import { http, unwrap } from "../http";
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
