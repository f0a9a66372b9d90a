import { compact } from "@/lib/number";
import type { Interval, Tick } from "./model";
import { logTicks } from "./ticks";

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
