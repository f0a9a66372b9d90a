import type { AxisWindow } from "@/stream/series/axis";
import type { Interval } from "./model";

/** A window `factor` times as wide around `center`, within `bounds`; null if it covers all of them. */
export function zoomed(
  window: AxisWindow,
  center: number,
  factor: number,
  bounds: Interval,
): AxisWindow | null {
  const [from, to] = [
    center - (center - window[0]) * factor,
    center + (window[1] - center) * factor,
  ];
  return within([from, to], bounds);
}

/** The window moved and cut to lie within `bounds`; null if it covers all of them. */
export function within([from, to]: AxisWindow, [low, high]: Interval): AxisWindow | null {
  const width = to - from;
  if (!(width > 0) || width >= high - low) return null;
  const start = Math.min(Math.max(from, low), high - width);
  return [start, start + width];
}

/** The position `by` rows away from the one nearest to `x`. With `x` null: the newest or the oldest. */
export function stepped(positions: readonly number[], x: number | null, by: number): number | null {
  if (positions.length === 0) return null;
  const last = positions.length - 1;
  if (x === null) return positions[by < 0 ? last : 0]!;
  const target = nearest(positions, x) + by;
  return positions[Math.min(last, Math.max(0, target))]!;
}

function nearest(positions: readonly number[], x: number): number {
  let best = 0;
  let low = 0;
  let high = positions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (Math.abs(positions[middle]! - x) < Math.abs(positions[best]! - x)) best = middle;
    if (positions[middle]! < x) low = middle + 1;
    else high = middle - 1;
  }
  return best;
}
