import type { AlignedData, Range } from "./model";

const HEADROOM = 0.06;

/** From zero to the newest step: runs are always read from their beginning. */
export function stepRange(steps: readonly number[]): Range {
  return [0, Math.max(1, steps.at(-1) ?? 1)];
}

/** Room for every value and reference; values that are never negative stand on zero. */
export function valueRange(ys: AlignedData[1][], references: readonly number[]): Range {
  let low = Math.min(...references, Infinity);
  let high = Math.max(...references, -Infinity);
  for (const y of ys) {
    for (const value of y) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  if (low >= 0) return [0, high === 0 ? 1 : high * (1 + HEADROOM)];
  const room = (high - low || Math.abs(high) || 1) * HEADROOM;
  return [low - room, high <= 0 ? Math.min(0, high + room) : high + room];
}
