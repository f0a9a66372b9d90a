import type { MetricAxis, AxisWindow } from "@/lib/stream";
import type { ValueScale } from "./value-scale";

/** Where the columns of a series come from. In the app this is a `RunSeries`. */
export interface ChartSource {
  readonly revision: number;
  readonly axis: MetricAxis;
  subscribe(listener: () => void): () => void;
  column(metric: string, window?: AxisWindow | null): ReadonlyColumn;
}

export interface ReadonlyColumn {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The moving average over the whole run at each point, with the smoothing that the source was told. */
  readonly smoothed: Float64Array;
  /** Points held. */
  readonly length: number;
  /** Points they stand for. */
  readonly count: number;
  /** Grows with every point. */
  readonly version: number;
}

/**
 * `points`: samples of their own (an episode each), dots behind their smoothed line.
 * `line`: a curve already, faint behind its smoothed line.
 * `markers`: few and exact (an evaluation), joined dots that are never smoothed.
 */
export type SeriesMode = "points" | "line" | "markers";

export interface SeriesSpec {
  /** Unique in its chart. */
  id: string;
  source: ChartSource;
  metric: string;
  label: string;
  mode: SeriesMode;
  /** Colours are named by token (`series-1`), so that a theme change repaints without preparing anything anew. */
  color: string;
  /** Lengths of dash and gap in CSS pixels, so that lines differ in more than colour. */
  dash?: readonly number[];
  /** A mean over many samples needs no smoothing. */
  smooth?: boolean;
  /** The metric with the standard deviation around this one, drawn as a band of ± one deviation. */
  spread?: string;
  /** Shown with the opposite sign. Stable-Baselines3 logs the entropy loss, which is the negative entropy. */
  negate?: boolean;
}

/** A horizontal level, such as the return that counts as solved, drawn dashed. */
export interface Reference {
  label: string;
  value: number;
  /** To compare with rather than to reach: drawn dotted and named, and the range is not extended to show it. */
  isBaseline?: boolean;
}

/** A reference at its height on the y axis. */
export interface ReferenceLine extends Tick {
  isBaseline: boolean;
}

export interface ChartSpec {
  /** Names the chart in an address: `?chart=train/approx_kl`. */
  id: string;
  title: string;
  series: readonly SeriesSpec[];
  references: readonly Reference[];
  /** The text shown while there is nothing to draw. */
  empty: string;
  /** What the picture leaves out, whatever the data: said below it. */
  leftOut?: string;
  /** What the curve means, in a sentence. */
  help?: string;
  /** Of the values. */
  unit?: string;
  /** Values can lie nowhere else, so the axis does not either. */
  bounds?: { minimum?: number | null; maximum?: number | null };
  /** What downloads say it is of: the run, its environment, algorithm and seed. */
  subject?: string;
}

/** Everything besides the data that the picture depends on. */
export interface PrepareOptions {
  /** From 0 (the points as they are) to below 1. The sources have been told the same. */
  smoothing: number;
  log: boolean;
  /** Fit the range to most points instead of to all. */
  outliers: boolean;
  /** The part of the axis to show; null for all. */
  window: AxisWindow | null;
  /** Width of the plot in pixels, which limits how many points are drawn. */
  width: number;
  /** Height of the plot in pixels. */
  height: number;
  /** Ids of series that were switched off. */
  hidden: ReadonlySet<string>;
}

/** `null` is a gap in a line; `undefined` only means that another series has a point there. */
export type AlignedValue = number | null | undefined;
export type AlignedData = [x: number[], ...ys: AlignedValue[][]];
export type Interval = [low: number, high: number];

export interface Tick {
  at: number;
  label: string;
}

/** One series as it stands in the window, on positions of its own. */
export interface Curve {
  x: readonly number[];
  raw: readonly (number | null)[];
  line: readonly (number | null)[];
  spread: readonly (number | null)[] | null;
  /** Points held in the window, before thinning for the screen. */
  held: number;
  /** Points of the whole run that the service holds. */
  count: number;
}

/** Everything that the plot needs in order to draw. */
export interface ChartModel {
  axis: MetricAxis;
  /** The shared positions, then for each series its rows as `rowsOf` lists them. */
  data: AlignedData;
  curves: readonly Curve[];
  x: Interval;
  y: Interval;
  scale: ValueScale["kind"];
  /** Where a logarithmic axis has its marks; null leaves it to the plot. */
  yTicks: readonly Tick[] | null;
  /** Whether the chart is high enough to name its axis; the toolbar names it for the whole page. */
  hasAxisName: boolean;
  references: readonly ReferenceLine[];
  /** Points of all series together, before any thinning. */
  points: number;
  /** Opacity of the points behind the smoothed line. It is lower where many points would cover the line. */
  faint: number;
  /** Notes for the reader about points that were left out or thinned. */
  notes: readonly string[];
  summary: string;
}
