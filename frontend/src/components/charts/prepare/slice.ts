import type { AxisWindow } from "@/stream/series/axis";
import type { ReadonlyColumn } from "./model";

type Positions = Pick<ReadonlyColumn, "x" | "length">;

/** Index of the first position at or after `x`; `length` if there is none. */
export function firstFrom({ x: xs, length }: Positions, x: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the last position at or before `x`; -1 if there is none. */
export function lastUpTo(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** `[from, to)`: the points in the window, and one beyond either end so that lines run to the edge. */
export function slice(column: Positions, window: AxisWindow | null): [from: number, to: number] {
  if (!window) return [0, column.length];
  const from = Math.max(0, firstFrom(column, window[0]) - 1);
  const beyond = column.x.subarray(0, column.length);
  return [from, Math.min(column.length, lastUpTo(beyond, window[1]) + 2)];
}
