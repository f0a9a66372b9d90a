import { decimal, isNumber } from "./number";

/** What stands where an interval would, if one seed (or run) alone has a value. */
export function noInterval(one: "seed" | "run" = "seed"): string {
  return `one ${one}: no interval`;
}

/** The ends of an interval: `[92.0, 97.5]`; what `noInterval` says without them. */
export function interval(
  low: number | null | undefined,
  high: number | null | undefined,
  { one, format = decimal }: { one?: "seed" | "run"; format?: (value: number) => string } = {},
): string {
  return isNumber(low) && isNumber(high) ? `[${format(low)}, ${format(high)}]` : noInterval(one);
}
