import type { ChartSpec, SeriesSpec } from "./model";

export type Row = "raw" | "line" | "high" | "low";

/** Which rows of the aligned data a series takes, in order. */
export function rowsOf({ spread }: Pick<SeriesSpec, "spread">): Row[] {
  return spread === undefined ? ["raw", "line"] : ["raw", "line", "high", "low"];
}

/** For every row of the aligned data after the positions: whose it is, and which. */
export function layout({ series }: Pick<ChartSpec, "series">): { series: number; row: Row }[] {
  return series.flatMap((spec, i) => rowsOf(spec).map((row) => ({ series: i, row })));
}
