import type { ChartSpec, SeriesSpec } from "./model";

export type Row = "raw" | "line" | "high" | "low";

/** Kinds of rows that a series has in the aligned data, in order. */
export function rowsOf({ spread }: Pick<SeriesSpec, "spread">): Row[] {
  return spread === undefined ? ["raw", "line"] : ["raw", "line", "high", "low"];
}

/** For every row of the aligned data after the positions: the index of its series, and what it holds. */
export function layout({ series }: Pick<ChartSpec, "series">): { series: number; row: Row }[] {
  return series.flatMap((spec, i) => rowsOf(spec).map((row) => ({ series: i, row })));
}
