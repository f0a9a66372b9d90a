import type { AxisWindow, MetricAxis } from "@/stream/series/axis";
import type { Tick } from "../figure-scale";
import type { ValueScale } from "./axes";

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
  /** The exponential moving average over the whole run at each point, with the source's current smoothing. */
  readonly smoothed: Float64Array;
  /** Number of points held. */
  readonly length: number;
  /** Number of points of the run that each of these represents. */
  readonly count: number;
  /** Increases with every point. */
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
  /** False for values that are means over many samples and need no smoothing. */
  smooth?: boolean;
  /** The metric with the standard deviation around this one, drawn as a band of ± one deviation. */
  spread?: string;
  /** The metrics at the ends of an interval around this one, drawn as a band. */
  band?: { low: string; high: string };
  /** Of how many of `all` seeds (or runs) the line is, which `metric` counts at each point. */
  over?: { metric: string; all: number; one: "seed" | "run" };
  /** A value holds until the next one, so that lines and bands are drawn as steps. */
  stepped?: boolean;
  /** Shown with the opposite sign. Stable-Baselines3 logs the entropy loss, which is the negative entropy. */
  negate?: boolean;
}

/** A horizontal level, such as the return that counts as solved, drawn dashed. */
export interface Reference {
  label: string;
  value: number;
  /** To compare with rather than to reach: drawn dotted, and the range is not extended to show it. */
  isBaseline?: boolean;
}

/** A reference at its height on the y axis. */
export interface ReferenceLine {
  at: number;
  isBaseline: boolean;
}

export interface ChartSpec {
  /** Names the chart in an address: `?chart=train/approx_kl`. */
  id: string;
  title: string;
  series: readonly SeriesSpec[];
  /** Curves of parents and discarded curves: drawn faintly behind the series, and used in no figure of the chart. */
  context?: readonly SeriesSpec[];
  references: readonly Reference[];
  /** Text to show without data. */
  empty: string;
  /** A note, shown below, on what the chart never shows. */
  leftOut?: string;
  /** What the curve means, in one sentence. */
  help?: string;
  /** Unit of the values. */
  unit?: string;
  /** Limits of possible values, which the axis never exceeds. */
  bounds?: { minimum?: number | null; maximum?: number | null };
  /** What the chart is about, for downloads: the run, its environment, algorithm and seed. */
  subject?: string;
}

/** Everything besides the data that the picture depends on. */
export interface PrepareOptions {
  /** From 0 (no smoothing) to below 1. Must be the sources' current smoothing. */
  smoothing: number;
  log: boolean;
  /** Fit the value range to most points and leave extreme ones outside. */
  outliers: boolean;
  /** The part of the axis to show; null for the whole axis. */
  window: AxisWindow | null;
  /** Width of the plot in pixels, which limits how many points are drawn. */
  width: number;
  /** Height of the plot in pixels. */
  height: number;
  /** Ids of the series that are switched off. */
  hidden: ReadonlySet<string>;
}

/** `null` is a gap in a line; `undefined` only means that another series has a point there. */
export type AlignedValue = number | null | undefined;
export type AlignedData = [x: number[], ...ys: AlignedValue[][]];
export type Interval = [low: number, high: number];

/** One series within the window, with its own positions. */
export interface Curve {
  x: readonly number[];
  raw: readonly (number | null)[];
  line: readonly (number | null)[];
  spread: readonly (number | null)[] | null;
  /** The interval around the line. */
  band: Record<"low" | "high", readonly (number | null)[]> | null;
  /** How many seeds (or runs) each value of the line is of. */
  over: readonly (number | null)[] | null;
  /** Points held in the window, before thinning for the screen. */
  held: number;
  /** Points of the whole run that the service holds. */
  count: number;
}

/** Everything that the plot needs in order to draw. */
export interface ChartModel {
  axis: MetricAxis;
  /** The shared positions, then the rows that `layout` lists. */
  data: AlignedData;
  curves: readonly Curve[];
  /** Whether there is nothing to draw. */
  isEmpty: boolean;
  x: Interval;
  y: Interval;
  scale: ValueScale["kind"];
  /** Ticks of a logarithmic axis; null: the plot chooses them. */
  yTicks: readonly Tick[] | null;
  /** Whether the chart is high enough for the axis' name; the toolbar shows it as well. */
  hasAxisName: boolean;
  references: readonly ReferenceLine[];
  /** Number of points of all series, before thinning. */
  points: number;
  /** Opacity of the points behind the smoothed line. It is lower where many points would cover the line. */
  faint: number;
  /** Notes for the reader about points that were left out or thinned. */
  notes: readonly string[];
  summary: string;
}
