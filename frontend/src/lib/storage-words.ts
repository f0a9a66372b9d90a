import type { Health } from "./api";
import { bytes, count } from "./format";

type StorageProfile = Health["storage"][string];

/** Which frames of an evaluation are hashed, for instance `one frame in 8`. */
export function framesHashed(every: number): string {
  return every === 1 ? "every frame" : `one frame in ${count(every)}`;
}

/** A storage profile in words, for instance `one frame in 8 hashed, 200 MB a run at most`. */
export function storageWords({ records, frames_every, max_bytes }: StorageProfile): string {
  if (!records) return "no records unless asked for";
  return `${framesHashed(frames_every)} hashed, ${bytes(max_bytes)} a run at most`;
}
