import { compact, compactBy } from "@/lib/number";
import type { MetricAxis } from "@/stream/series/axis";
import type { Interval, Tick } from "./model";

/** Label of a tick on a linear axis: as many digits as distinguish ticks `increment` apart. */
export function tickLabel(value: number, increment: number): string {
  if (value === 0) return "0";
  if (increment >= 1) return compactBy(value, increment);
  const digits = decimals(increment);
  if (increment >= 1e-4) return value.toFixed(digits);
  return value.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(value))) + digits));
}

const MOST_DECIMALS = 20;

/** Number of decimals that it takes to write `value`. */
function decimals(value: number): number {
  let digits = 0;
  while (digits < MOST_DECIMALS && Math.abs(value - Number(value.toFixed(digits))) > value * 1e-6) {
    digits += 1;
  }
  return digits;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Ticks of a logarithmic axis in decades: powers of ten, with 2 and 5 between them if there are few. */
export function logTicks([low, high]: Interval): Tick[] {
  const decades = high - low;
  const steps = decades > 3 ? [1] : decades > 0.7 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  const every = Math.max(1, Math.ceil(decades / 8));
  const ticks: Tick[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    if (power % every !== 0) continue;
    for (const step of steps) {
      const at = power + Math.log10(step);
      if (at >= low && at <= high) ticks.push({ at, label: powerLabel(step, power) });
    }
  }
  return ticks;
}

function powerLabel(step: number, power: number): string {
  if (power >= -3 && power <= 5) return compactPower(step, power);
  const raised = [...String(Math.abs(power))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `${step === 1 ? "" : `${step}·`}10${power < 0 ? "⁻" : ""}${raised}`;
}

function compactPower(step: number, power: number): string {
  return power >= 0
    ? compact(step * 10 ** power)
    : (step * 10 ** power).toFixed(step % 1 ? 1 - power : -power);
}

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
