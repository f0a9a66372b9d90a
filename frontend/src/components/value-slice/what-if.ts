import type { StepRecord } from "@/api/types";
import { numbersOf, type SlicedSpace } from "./prepare";

/** Components that somebody holds at another value than was seen, by their places. */
export type Changes = ReadonlyMap<number, number>;

export const NO_CHANGES: Changes = new Map();

/** Bounds beyond this are no bounds: some environments tell the largest number that there is. */
const UNBOUNDED = 1e6;

/** How far a component of which nothing is known reaches to either side. */
const REACH = 3;

/** `at`, with the changes in it. */
export function changed(at: readonly number[], changes: Changes): number[] {
  return at.map((value, place) => changes.get(place) ?? value);
}

/**
 * How far a component can be changed: within its bounds, or else as far as the episode went and half as far again;
 * where it is now lies within.
 */
export function reachOf(
  space: SlicedSpace,
  place: number,
  records: readonly StepRecord[],
  now: number,
): { low: number; high: number } {
  const low = space.low?.[place] ?? -Infinity;
  const high = space.high?.[place] ?? Infinity;
  const isBounded = Math.abs(low) < UNBOUNDED && Math.abs(high) < UNBOUNDED && low < high;
  let [least, most] = isBounded ? [low, high] : [now, now];
  if (!isBounded) {
    for (const record of records) {
      const value = numbersOf(record)?.[place] ?? now;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    const margin = most > least ? (most - least) / 2 : REACH;
    [least, most] = [Math.max(low, least - margin), Math.min(high, most + margin)];
  }
  return { low: Math.min(least, now), high: Math.max(most, now) };
}
