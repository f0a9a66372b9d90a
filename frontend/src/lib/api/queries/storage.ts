// Not exported by `@/lib/api`: what that exports is loaded by every page, Home included.
import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { Storage, StorageRules } from "../types";

const SOON = 1_000;
const LATER = 60_000;

/** What takes space. Asked for again soon while a measurement or a pass over the rules goes on. */
export const storageQuery = queryOptions({
  queryKey: keys.storage,
  queryFn: ({ signal }) => unwrap(http.GET("/storage", { signal })),
  refetchInterval: ({ state }) => (isWorking(state.data) ? SOON : LATER),
});

export function isWorking(storage: Storage | undefined): boolean {
  if (!storage) return false;
  return storage.measuring || storage.measured_at === null || isPruning(storage);
}

export function isPruning({ pruning }: Storage): boolean {
  return pruning !== null && pruning.ended_at === null;
}

/** Replaces rules and quotas. */
export function saveStorageRules(body: StorageRules) {
  return unwrap(http.PUT("/storage/rules", { body }));
}

export function measureStorage() {
  return unwrap(http.POST("/storage/measure"));
}

/** Begins to apply the rules; with `dryRun`, to look what they would do. */
export function pruneStorage(dryRun: boolean) {
  return unwrap(http.POST("/storage/prune", { body: { dry_run: dryRun } }));
}
