import type { Health } from "./api";
import { count } from "./format";

type StorageProfile = Health["storage"][string];

/** Which frames of an evaluation are hashed: `one frame in 8`. */
export function framesHashed(every: number): string {
  return every === 1 ? "every frame" : `one frame in ${count(every)}`;
}

/** In millions of bytes, as the setting counts them. */
export function megabytes(value: number): string {
  return `${count(Math.round(value / 1e6))} MB`;
}

/** `one frame in 8 hashed, 200 MB a run at most`. */
export function storageWords({ records, frames_every, max_bytes }: StorageProfile): string {
  if (!records) return "no records unless asked for";
  return `${framesHashed(frames_every)} hashed, ${megabytes(max_bytes)} a run at most`;
}
