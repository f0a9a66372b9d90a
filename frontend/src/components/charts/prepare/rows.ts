import type { ChartSpec, SeriesSpec } from "./model";

export type Row = "raw" | "line" | "high" | "low";

/** Kinds of rows that a series has in the aligned data, in order. */
export function rowsOf({ spread }: Pick<SeriesSpec, "spread">): Row[] {
  return spread === undefined ? ["raw", "line"] : ["raw", "line", "high", "low"];
}

export interface LaidOut {
  series: SeriesSpec;
  row: Row;
  isContext: boolean;
}

/** What every row of the aligned data after the positions holds. Context comes first, so that it is drawn behind. */
export function layout({ series, context = [] }: Pick<ChartSpec, "series" | "context">): LaidOut[] {
  return [
    ...context.map((one) => ({ series: one, row: "line" as const, isContext: true })),
    ...series.flatMap((one) => rowsOf(one).map((row) => ({ series: one, row, isContext: false }))),
  ];
}
