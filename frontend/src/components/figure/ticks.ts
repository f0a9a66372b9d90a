import { compact, compactBy } from "@/lib/number";

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
