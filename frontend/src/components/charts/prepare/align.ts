import type { AlignedData, AlignedValue } from "./model";

export interface Points {
  x: readonly number[];
  /** Rows that share these positions. */
  ys: readonly (readonly (number | null)[])[];
}

/**
 * Puts series with positions of their own on one shared axis. Several points at one position (episodes
 * that ended together) each keep a place.
 */
export function align(series: readonly Points[]): AlignedData {
  const heads = series.map(() => 0);
  const xs: number[] = [];
  const rows: AlignedValue[][][] = series.map(({ ys }) => ys.map(() => []));
  for (;;) {
    let next = Infinity;
    for (let i = 0; i < series.length; i += 1) {
      const x = series[i]!.x[heads[i]!];
      if (x !== undefined && x < next) next = x;
    }
    if (next === Infinity) return [xs, ...rows.flat()];
    xs.push(next);
    for (let i = 0; i < series.length; i += 1) {
      const { x, ys } = series[i]!;
      const head = heads[i]!;
      const own = x[head] === next;
      for (let row = 0; row < ys.length; row += 1) {
        rows[i]![row]!.push(own ? ys[row]![head] : undefined);
      }
      if (own) heads[i] = head + 1;
    }
  }
}
