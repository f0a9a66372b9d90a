/** Colours are named by token, so that a theme change repaints without preparing anything anew. */
export type ChartColor = "chart-raw" | "chart-mean" | "chart-reference";

export interface SeriesSpec {
  metric: string;
  label: string;
  look: "points" | "line";
  color: ChartColor;
}

/** A level worth reaching, drawn dashed across the chart. */
export interface Reference {
  label: string;
  value: number;
}

export interface ChartSpec {
  title: string;
  series: readonly SeriesSpec[];
  references: readonly Reference[];
  /** What to say while there is nothing to draw. */
  empty: string;
}

/** `null` is a gap in a line; `undefined` only means that another series has a point there. */
export type Value = number | null | undefined;
export type AlignedData = [x: number[], ...ys: Value[][]];
export type Range = [low: number, high: number];

/** Everything the plot needs to know; it decides nothing itself. */
export interface ChartModel {
  data: AlignedData;
  x: Range;
  y: Range;
  /** Newest value of each series. */
  latest: (number | null)[];
  /** Points held for all series, before thinning for the screen. */
  points: number;
  lastStep: number;
  /** Opacity of points: many of them would hide the line that runs through them. */
  pointAlpha: number;
  summary: string;
}

/** Where columns come from: a `RunSeries`, or whatever a test has. */
export interface ColumnSource {
  column(metric: string): ReadonlyColumn;
}

export interface ReadonlyColumn {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly length: number;
  latest(): number | null;
}
