import { queryOptions } from "@tanstack/react-query";
import { bytes, count, shareText } from "@/lib/number";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { Health, RunRecording, Storage, StorageRules } from "./types";

const SOON = 1_000;
const LATER = 60_000;

/** What takes space. Polled while a measurement or a pass over the rules runs. */
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

/** Starts a pass over the rules; with `dryRun`, only a preview. */
export function pruneStorage(dryRun: boolean) {
  return unwrap(http.POST("/storage/prune", { body: { dry_run: dryRun } }));
}

type StorageProfile = Health["storage"][string];
type Lowered = NonNullable<RunRecording["lowered"]>;

/** With a larger interval, only the last frame of an episode is hashed: no episode is that long. */
const ONLY_THE_LAST = 27_000;

/** Which frames are hashed, for instance `one frame in 8, and the last of each episode`. */
export function framesHashed(every: number): string {
  if (every === 1) return "every frame";
  const last = "the last of each episode";
  return every > ONLY_THE_LAST ? last : `one frame in ${count(every)}, and ${last}`;
}

/** A storage profile in words, for instance `Standard · pictures · 200 MB of records and 20 MB of frames a run`. */
export function storageText(profile: StorageProfile): string {
  const { detail, pictures, max_bytes: records, keep_frames_bytes: frames } = profile;
  if (detail === "off") return "off";
  const kept =
    frames > 0 ? `${bytes(records)} of records and ${bytes(frames)} of frames` : bytes(records);
  return [detail, pictures && "what the agent saw", `${kept} a run`].filter(Boolean).join(" · ");
}

/** A share of time, for instance `6%`. */
export function timeShare(share: number): string {
  return share > 0 && share < 0.01 ? "less than 1%" : shareText(share);
}

/** The cost of recording, to append to the detail; empty if unknown. */
export function recordingCostText(cost: number | null | undefined): string {
  return cost == null ? "" : `, which took ${timeShare(cost)} of the time`;
}

/** How the detail was lowered by itself. */
export function loweredText({ before, after, cost, most }: Lowered): string {
  const now = after === "off" ? "Switched off" : `Lowered to ${after}`;
  return `${now} from ${before} automatically: recording took ${timeShare(cost)} of the time; at most ${timeShare(most)} is allowed.`;
}
