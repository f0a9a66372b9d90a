import { compact, compactBy } from "@/lib/number";

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

/** Where a tick stands on its axis, and what it says. */
export interface Tick {
  at: number;
  label: string;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** About `wanted` ticks at round values within the domain. */
export function linearTicks([low, high]: readonly [number, number], wanted = 5): Tick[] {
  const span = high - low;
  if (!(span > 0)) return Number.isFinite(low) ? [{ at: low, label: tickText(low, 0) }] : [];
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = power * (STEPS.find((one) => span / (one * power) <= wanted) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const at = Number(((first + i) * step).toPrecision(12));
    return { at, label: tickText(at, step) };
  });
}

/** As many digits as tell ticks `step` apart. */
function tickText(at: number, step: number): string {
  if (at === 0) return "0";
  if (step === 0) return compact(at);
  if (step >= 1) return compactBy(at, step);
  const digits = Math.ceil(-Math.log10(step) - 1e-9) + (step.toExponential()[1] === "." ? 1 : 0);
  return step < 1e-4 ? at.toExponential(1) : at.toFixed(digits);
}

/** The domain of `values` with a margin, so that nothing lies on the frame. */
export function domainOf(values: readonly number[], margin = 0.05): [number, number] {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [0, 1];
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
}
