import { compact } from "./number";

const SIZES: Record<string, number> = { k: 1e3, M: 1e6, B: 1e9 };

/**
 * The short form with as many digits as tell values `step` apart, for the ticks of an axis: `-1178` in steps of 2 is
 * `-1,178`, in steps of 10 `-1.18k`.
 */
export function compactBy(value: number, step: number): string {
  const short = compact(value);
  const unit = short.at(-1) ?? "";
  const size = SIZES[unit];
  if (size === undefined || isWhole((step / size) * 100)) return short;
  return unit === "k" ? value.toLocaleString("en-US") : Number((value / size).toFixed(9)) + unit;
}

/** But for what floating point makes of it. */
function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 * value;
}
