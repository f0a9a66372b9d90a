import type { AxisWindow } from "@/stream/series/axis";
import type { ChartSpec, Curve, Interval } from "./model";

const HEADROOM = 0.06;
/**
 * A range smaller than this share of its values is rounding error, which smoothing leaves on a constant
 * curve.
 */
const FLAT = 1e-9;
const LEAST_DECADES = 0.2;
const TAIL = 0.01;

/** The range from zero to the newest position, or the window. */
export function positionRange(newest: number, window: AxisWindow | null): Interval {
  return window ? [window[0], window[1]] : [0, newest > 0 ? newest : 1];
}

/** A range with room for every value and reference. It starts at zero if no value is negative. */
export function valueRange(range: Interval, bounds: ChartSpec["bounds"] = NO_BOUNDS): Interval {
  const [low, high] = roomyRange(range);
  // A value beyond its documented bounds is shown all the same.
  const floor = range[0] >= (bounds.minimum ?? Infinity) ? bounds.minimum! : -Infinity;
  const ceiling = range[1] <= (bounds.maximum ?? -Infinity) ? bounds.maximum! : Infinity;
  const bounded: Interval = [Math.max(low, floor), Math.min(high, ceiling)];
  return bounded[0] < bounded[1] ? bounded : [low, high];
}

const NO_BOUNDS = {};

function roomyRange([low, high]: Interval): Interval {
  if (low > high) return [0, 1];
  if (low >= 0 && high - low > high * 0.3) return [0, high * (1 + HEADROOM)];
  if (high - low <= Math.abs(high) * FLAT)
    return low === 0 ? [0, 1] : [low - Math.abs(low) * 0.1, low + Math.abs(low) * 0.1];
  const room = (high - low) * HEADROOM;
  return [
    low >= 0 ? Math.max(0, low - room) : low - room,
    high <= 0 ? Math.min(0, high + room) : high + room,
  ];
}

/** The same for values in decades. */
export function logRange([low, high]: Interval): Interval {
  if (low > high) return [0, 1];
  const lack = Math.max(0, LEAST_DECADES - (high - low)) / 2;
  const room = (high - low) * HEADROOM;
  return [low - room - lack, high + room + lack];
}

/** Smallest and largest of everything drawn: points, lines, bands and references. */
export function extent(curves: readonly Curve[], references: readonly number[]): Interval {
  const range: Interval = [Infinity, -Infinity];
  const take = (value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
  };
  references.forEach(take);
  for (const { raw, line, spread, band } of curves) {
    raw.forEach(take);
    line.forEach(take);
    band?.low.forEach(take);
    band?.high.forEach(take);
    spread?.forEach((around, i) => {
      const middle = line[i];
      if (around === null || middle === null || middle === undefined) return;
      take(middle - around);
      take(middle + around);
    });
  }
  return range;
}

/** Percentiles are estimated from this many values at most, as sorting more would block the page. */
const SAMPLE = 4000;

/**
 * Between the 1st and the 99th percentile of `values` (nearest rank, of evenly spaced ones if there are very
 * many); of fewer than ten points none is an outlier.
 */
export function mostOf(values: Float64Array): Interval | null {
  if (values.length < 10) return null;
  const every = Math.ceil(values.length / SAMPLE);
  const sorted = new Float64Array(Math.floor(values.length / every));
  for (let i = 0; i < sorted.length; i += 1) sorted[i] = values[i * every]!;
  sorted.sort();
  const rank = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return [rank(TAIL), rank(1 - TAIL)];
}
