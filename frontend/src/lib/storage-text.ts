import type { Health, RunRecording } from "./api/types";
import { bytes, count, shareText } from "./number";

type StorageProfile = Health["storage"][string];
type Lowered = NonNullable<RunRecording["lowered"]>;

/** Where one frame in so many is hashed, only the last of an episode is: none is so long. */
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

/** What recording cost, to follow the detail; nothing where that is not known. */
export function recordingCostText(cost: number | null | undefined): string {
  return cost == null ? "" : `, which took ${timeShare(cost)} of the time`;
}

/** How the detail was lowered by itself. */
export function loweredText({ before, after, cost, most }: Lowered): string {
  const now = after === "off" ? "Switched off" : `Lowered to ${after}`;
  return `${now} from ${before} by itself: it took ${timeShare(cost)} of the time, more than the ${timeShare(most)} that it may.`;
}
