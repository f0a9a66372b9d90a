import { extremes } from "@/stream/series/thin";

/**
 * At most about `max` indices of `[from, to)`: the smallest and the largest value of every stretch among them, and the
 * newest, whose value the legend tells.
 */
export function thinForScreen(
  y: Float64Array,
  [from, to]: readonly [number, number],
  max: number,
): number[] {
  const kept: number[] = [];
  const stretch = to - from <= max ? 1 : Math.ceil((to - from) / (max / 2));
  for (let start = from; start < to; start += stretch) {
    const [first, second] = extremes(y, start, Math.min(to, start + stretch));
    kept.push(first);
    if (second !== first) kept.push(second);
  }
  if (kept.length > 0 && kept.at(-1) !== to - 1) kept.push(to - 1);
  return kept;
}
