import type { AlignedData, Value } from "./model";

export interface Points {
  x: number[];
  y: (number | null)[];
}

/**
 * Puts series with steps of their own on one shared axis. Several points at one step (episodes that
 * ended together) each keep a place.
 */
export function align(series: readonly Points[]): AlignedData {
  const heads = series.map(() => 0);
  const xs: number[] = [];
  const ys: Value[][] = series.map(() => []);
  for (;;) {
    let next = Infinity;
    series.forEach(({ x }, i) => {
      next = Math.min(next, x[heads[i]!] ?? Infinity);
    });
    if (next === Infinity) return [xs, ...ys];
    xs.push(next);
    series.forEach(({ x, y }, i) => {
      const head = heads[i]!;
      if (x[head] === next) {
        ys[i]!.push(y[head]);
        heads[i] = head + 1;
      } else ys[i]!.push(undefined);
    });
  }
}

/** What a series shows at a row of the shared axis: its own value there, or its newest one before. */
export function valueAt(y: readonly Value[], row: number): number | null {
  for (let i = row; i >= 0; i -= 1) {
    const value = y[i];
    if (value !== undefined) return value;
  }
  return null;
}
