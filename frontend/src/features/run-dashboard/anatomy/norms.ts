import type { UpdateAnatomy } from "@/api/types";

/** Gradient norms over training, on a logarithmic scale: they vanish and explode by orders of magnitude. */
export interface Norms {
  low: number;
  high: number;
  /** Heights from 0 (`low`) to 1 (`high`); null where there was no gradient step. */
  heights: readonly (number | null)[];
}

/** Null without any norm. A norm of 0 lies at the bottom. */
export function normsOf(
  updates: readonly UpdateAnatomy[],
  of: (update: UpdateAnatomy) => number | null | undefined,
): Norms | null {
  const found = updates.map((update) => of(update) ?? null);
  const known = found.filter((norm) => norm !== null);
  if (known.length === 0) return null;
  const positive = known.filter((norm) => norm > 0);
  const [low, high] = positive.length > 0 ? rangeOf(positive) : [0, 1];
  const span = Math.log(high) - Math.log(low);
  const height = (norm: number) =>
    norm <= 0 ? 0 : span > 0 ? (Math.log(norm) - Math.log(low)) / span : 0.5;
  return { low, high, heights: found.map((norm) => (norm === null ? null : height(norm))) };
}

function rangeOf(numbers: readonly number[]): [number, number] {
  return [Math.min(...numbers), Math.max(...numbers)];
}
