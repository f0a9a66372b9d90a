import { compact, compactBy } from "@/lib/number";
import type { AxisWindow, MetricAxis } from "@/stream/series/axis";
import { logTicks, type Tick } from "../figure-scale";
import type { ChartSpec, Curve, Interval } from "./model";

const SECOND_STEPS = [1, 2, 5, 10, 15, 30];
const TIME_STEPS = [
  ...[0.001, 0.01, 0.1].flatMap((unit) => [1, 2, 5].map((n) => n * unit)),
  ...SECOND_STEPS,
  ...SECOND_STEPS.map((n) => n * 60),
  ...[1, 2, 3, 6, 12].map((n) => n * 3600),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => n * 86_400),
];
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 2.5, 5].map((n) => n * 10 ** power),
)
  .flat()
  .filter(Number.isInteger);

/** Distances between ticks that read well: whole steps or episodes; seconds and minutes as on a clock. */
export function increments(axis: MetricAxis): number[] {
  return axis === "time" ? TIME_STEPS : WHOLE_STEPS;
}

/** Label of a tick on a position axis, for instance `20k`, or `1m 30s` for a time since the start. */
export function positionTick(axis: MetricAxis, value: number, increment: number): string {
  return axis === "time" ? elapsedLabel(value) : compactBy(value, increment);
}

/** Seconds in a short form, for instance `0.5s`, `45s`, `1m 30s` or `2h`. */
export function elapsedLabel(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 60) return `${Number(seconds.toFixed(size < 10 ? 2 : 1))}s`;
  const units: [number, string][] = [
    [86_400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ];
  const largest = units.findIndex(([unit]) => size >= unit);
  const [[major, name], minor] = [units[largest]!, units[largest + 1]];
  const whole = Math.floor(size / major);
  const rest = minor ? Math.floor((size - whole * major) / minor[0] + 1e-6) : 0;
  return `${seconds < 0 ? "−" : ""}${whole}${name}${rest > 0 && minor ? ` ${rest}${minor[1]}` : ""}`;
}

export const axisNames: Record<MetricAxis, string> = {
  step: "environment steps",
  episode: "episodes",
  time: "time since start",
};

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

/** Smallest and largest of everything drawn: points, lines, bands and references. Without points, from zero to the references. */
export function extent(curves: readonly Curve[], references: readonly number[]): Interval {
  const range: Interval = [Infinity, -Infinity];
  const take = (value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
  };
  references.forEach(take);
  if (range[0] <= range[1] && curves.every(({ count }) => count === 0)) take(0);
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

/** Maps values to heights. A logarithmic chart is drawn in decades on a linear axis of the plot. */
export interface ValueScale {
  kind: "linear" | "log" | "symlog";
  of: (value: number) => number;
  /** Ticks for a range of heights; null: the plot chooses them. */
  ticks: (range: Interval) => Tick[] | null;
}

const LINEAR: ValueScale = { kind: "linear", of: (value) => value, ticks: () => null };
const LOG: ValueScale = { kind: "log", of: Math.log10, ticks: logTicks };

/** The most decades that a symmetric logarithmic scale shows on either side of zero. */
const MOST_DECADES = 5;

/** The scale for values within `range`; `smallest` is the smallest absolute value other than zero. */
export function valueScale(log: boolean, range: Interval, smallest: number): ValueScale {
  if (!log || range[0] > range[1]) return LINEAR;
  if (range[0] > 0) return LOG;
  const largest = Math.max(Math.abs(range[0]), Math.abs(range[1]));
  if (largest === 0) return LINEAR;
  const lowest = Math.ceil(Math.log10(largest)) - MOST_DECADES;
  return symlog(10 ** Math.max(lowest, Math.floor(Math.log10(Math.min(smallest, largest)))));
}

/** Linear up to about `unit` on either side of zero, logarithmic beyond: sign(y) · log₁₀(1 + |y| / unit). */
function symlog(unit: number): ValueScale {
  const of = (value: number) => Math.sign(value) * Math.log10(1 + Math.abs(value) / unit);
  const ticks = ([low, high]: Interval): Tick[] => {
    const decades = Math.ceil(Math.max(Math.abs(low), Math.abs(high)));
    const every = Math.max(1, Math.ceil(((high - low) * 1.2) / 7));
    const powers = Array.from({ length: decades + 1 }, (_, i) => i).filter((i) => i % every === 0);
    const sizes = powers.map((power) => Number((unit * 10 ** power).toPrecision(12)));
    return [...sizes.map((size) => -size).reverse(), 0, ...sizes]
      .map((value) => ({ at: of(value), label: label(value) }))
      .filter(({ at }) => at >= low && at <= high);
  };
  return { kind: "symlog", of, ticks };
}

function label(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? value.toExponential(0) : compact(value);
}

/** Between environment steps and positions on the axis of a chart. */
export interface StepScale {
  stepAt: (x: number) => number;
  placeOf: (step: number) => number;
}

/**
 * The axis counts environment steps; `newest` of them are done. It may extend further, because a compared run can be
 * longer.
 */
export function stepScale(newest: number): StepScale {
  return { stepAt: (x) => Math.min(x, newest), placeOf: (step) => step };
}

/** A quantity at rising values of another one, as in a curve from the service. */
export interface Rising {
  x: readonly number[];
  y: readonly (number | null)[];
}

/**
 * Along episodes. `episodes`: how many had ended, over environment steps, of which `newest` were done. Between two that
 * are known, steps and episodes are taken to go evenly; the end of the last is where training is now.
 */
export function episodeScale(episodes: Rising, newest = 0): StepScale {
  const { x: steps, y: counts } = known(episodes);
  if (newest > steps.at(-1)!) {
    steps.push(newest);
    counts.push(counts.at(-1)!);
  }
  return {
    stepAt: (count) => interpolated(counts, steps, count),
    placeOf: (step) => interpolated(steps, counts, step),
  };
}

/** Along the time of training. `seconds`: how many episodes had ended, over seconds. */
export function timeScale(episodes: Rising, seconds: Rising, newest = 0): StepScale {
  const bySteps = episodeScale(episodes, newest);
  const byTime = episodeScale(seconds);
  return {
    stepAt: (time) => bySteps.stepAt(byTime.placeOf(time)),
    placeOf: (step) => byTime.stepAt(bySteps.placeOf(step)),
  };
}

/** The known, rising values from the start. */
function known({ x, y }: Rising): { x: number[]; y: number[] } {
  const rising = { x: [0], y: [0] };
  x.forEach((at, i) => {
    const value = y[i] ?? null;
    if (value === null || value <= rising.y.at(-1)! || at < rising.x.at(-1)!) return;
    rising.x.push(at);
    rising.y.push(value);
  });
  return rising;
}

/** `to` where `from`, which rises, is `value`. */
function interpolated(from: readonly number[], to: readonly number[], value: number): number {
  let [low, high] = [0, from.length - 1];
  if (value <= from[low]!) return to[low]!;
  if (value >= from[high]!) return to[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= value) low = middle;
    else high = middle;
  }
  const share = (value - from[low]!) / (from[high]! - from[low]!);
  return to[low]! + share * (to[high]! - to[low]!);
}
