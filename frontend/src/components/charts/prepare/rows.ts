import type { ChartSpec, SeriesSpec } from "./model";

export type Row = "raw" | "line" | "high" | "low";

/** Kinds of rows that a series has in the aligned data, in order. */
export function rowsOf({ spread, band }: Pick<SeriesSpec, "spread" | "band">): Row[] {
  return spread === undefined && band === undefined
    ? ["raw", "line"]
    : ["raw", "line", "high", "low"];
}

/** Context has no points of its own, and a band only if that is given. */
export function contextRowsOf({ band }: Pick<SeriesSpec, "band">): Row[] {
  return band === undefined ? ["line"] : ["line", "high", "low"];
}

export interface LaidOut {
  series: SeriesSpec;
  row: Row;
  isContext: boolean;
}

/** What every row of the aligned data after the positions holds. Context comes first, so that it is drawn behind. */
export function layout({ series, context = [] }: Pick<ChartSpec, "series" | "context">): LaidOut[] {
  return [
    ...context.flatMap((one) =>
      contextRowsOf(one).map((row) => ({ series: one, row, isContext: true })),
    ),
    ...series.flatMap((one) => rowsOf(one).map((row) => ({ series: one, row, isContext: false }))),
  ];
}
