import { compact, compactBy } from "@/lib/number";

/**
 * Scales, ticks with their labels, and paths of pictures: the one home of what an axis says, for charts on a canvas and
 * for figures in SVG.
 */

export interface Scale {
  (value: number): number;
  invert: (at: number) => number;
}

/** A linear map from values to pixels. */
export function scale(from: readonly [number, number], to: readonly [number, number]): Scale {
  const rate = (to[1] - to[0]) / (from[1] - from[0] || 1);
  const map = (value: number) => to[0] + (value - from[0]) * rate;
  return Object.assign(map, { invert: (at: number) => from[0] + (at - to[0]) / rate });
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Rounds to the nearest multiple of `step`, without floating-point digits such as 0.30000000000000004. */
export function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(6));
}

/** `count + 1` evenly spaced values from first to last. */
export function linspace(first: number, last: number, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, i) => first + ((last - first) * i) / count);
}

/** SVG path data through points given in pixels. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Position of a tick on its axis, and its label. */
export interface Tick {
  at: number;
  label: string;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** About `wanted` ticks at round values within the domain. */
export function linearTicks([low, high]: readonly [number, number], wanted = 5): Tick[] {
  const span = high - low;
  if (!(span > 0)) return Number.isFinite(low) ? [{ at: low, label: compact(low) }] : [];
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = power * (STEPS.find((one) => span / (one * power) <= wanted) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const at = Number(((first + i) * step).toPrecision(12));
    return { at, label: tickLabel(at, step) };
  });
}

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

/**
 * Ticks of a logarithmic axis, whose domain is in decades: powers of ten, with 2 and 5 between them if there are few.
 * `most`: how many there may be.
 */
export function logTicks([low, high]: readonly [number, number], most = Infinity): Tick[] {
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
  if (ticks.length <= most) return ticks;
  const powers = ticks.filter(({ at }) => Number.isInteger(at));
  return powers.filter((_, i) => i % Math.ceil(powers.length / most) === 0);
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

/** The domain of `values` with a margin, so that no point is on the frame. */
export function domainOf(values: readonly number[], margin = 0.05): [number, number] {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [0, 1];
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
}
