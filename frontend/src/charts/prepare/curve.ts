import type { AxisWindow } from "@/stream/series/axis";
import { extremes } from "@/stream/series/thin";
import type { ValueScale } from "./axes";
import type {
  AlignedData,
  AlignedValue,
  ChartSpec,
  Curve,
  Interval,
  PrepareOptions,
  ReadonlyColumn,
  SeriesSpec,
} from "./model";

export interface CurveOptions extends Pick<PrepareOptions, "smoothing" | "window"> {
  maxPoints: number;
}

/**
 * One series within the window, thinned to the screen's resolution. It is smoothed over the whole run
 * beforehand.
 */
export function prepareCurve(series: SeriesSpec, options: CurveOptions): Curve {
  const { window, maxPoints } = options;
  const column = series.source.column(series.metric, window);
  const [from, to] = slice(column, window);
  const line = lineOf(series, column, options.smoothing);
  const kept = thinForScreen(column.y, [from, to], maxPoints);
  const sign = series.negate ? -1 : 1;
  const value = (y: number) => (Number.isNaN(y) ? null : sign * y);
  return {
    x: kept.map((i) => column.x[i]!),
    raw: kept.map((i) => value(column.y[i]!)),
    line: kept.map((i) => value(line[i]!)),
    spread:
      series.spread === undefined
        ? null
        : valuesAt(series, series.spread, column, kept, window).map(
            (value) => value && Math.abs(value),
          ),
    band: series.band === undefined ? null : bandAt(series, series.band, column, kept, window),
    over:
      series.over === undefined ? null : valuesAt(series, series.over.metric, column, kept, window),
    held: to - from,
    count: column.count,
  };
}

export function smooths({ mode, smooth = true }: SeriesSpec): boolean {
  return smooth && mode !== "markers";
}

/** The last position that any of the series has reached; 0 before there is one. */
export function newestPosition(series: readonly SeriesSpec[]): number {
  return series.reduce((newest, { source, metric }) => {
    const { x, length } = source.column(metric);
    return Math.max(newest, x[length - 1] ?? 0);
  }, 0);
}

/** The values of the series' line at the points of `column`: smoothed ones if the series is smoothed. */
export function lineOf(
  series: SeriesSpec,
  { y, smoothed }: ReadonlyColumn,
  smoothing: number,
): Float64Array {
  return smoothing > 0 && smooths(series) ? smoothed : y;
}

/** Standard deviations, the ends of intervals and numbers of seeds come in columns of their own, and are looked up by position. */
function valuesAt(
  { source }: SeriesSpec,
  metric: string,
  { x }: ReadonlyColumn,
  kept: readonly number[],
  window: AxisWindow | null,
): (number | null)[] {
  const around = source.column(metric, window);
  const positions = around.x.subarray(0, around.length);
  return kept.map((i) => {
    const at = lastUpTo(positions, x[i]!);
    const value = at >= 0 && positions[at] === x[i] ? around.y[at]! : Number.NaN;
    return Number.isNaN(value) ? null : value;
  });
}

function bandAt(
  series: SeriesSpec,
  { low, high }: NonNullable<SeriesSpec["band"]>,
  column: ReadonlyColumn,
  kept: readonly number[],
  window: AxisWindow | null,
): NonNullable<Curve["band"]> {
  const end = (metric: string) =>
    valuesAt(series, metric, column, kept, window).map((value) =>
      value !== null && series.negate ? -value : value,
    );
  return series.negate ? { low: end(high), high: end(low) } : { low: end(low), high: end(high) };
}

/** Values of a series within the window, negated if the series is, as input for percentiles. */
export function heldValues(series: SeriesSpec, window: AxisWindow | null): Float64Array {
  const column = series.source.column(series.metric, window);
  const [from, to] = slice(column, window);
  const values = new Float64Array(to - from);
  const sign = series.negate ? -1 : 1;
  let length = 0;
  for (let i = from; i < to; i += 1) {
    const value = column.y[i]!;
    if (!Number.isNaN(value)) values[length++] = sign * value;
  }
  return values.subarray(0, length);
}

/**
 * At most about `max` indices of `[from, to)`: the smallest and the largest value of every stretch among them, and the
 * newest, whose value the legend tells.
 */
function thinForScreen(
  y: Float64Array,
  [from, to]: readonly [number, number],
  max: number,
): number[] {
  const kept: number[] = [];
  const stretch = to - from <= max ? 1 : Math.ceil((to - from) / (max / 2));
  for (let start = from; start < to; start += stretch) {
    const [first, second] = extremes(y, start, Math.min(to, start + stretch));
    kept.push(first);
    if (second !== first) kept.push(second);
  }
  if (kept.length > 0 && kept.at(-1) !== to - 1) kept.push(to - 1);
  return kept;
}

export type Row = "raw" | "line" | "high" | "low";

/** Kinds of rows of a series in the aligned data, in order. */
export function rowsOf({ spread, band }: Pick<SeriesSpec, "spread" | "band">): Row[] {
  return spread === undefined && band === undefined
    ? ["raw", "line"]
    : ["raw", "line", "high", "low"];
}

/** Context has no points, and a band only if one is given. */
export function contextRowsOf({ band }: Pick<SeriesSpec, "band">): Row[] {
  return band === undefined ? ["line"] : ["line", "high", "low"];
}

export interface LaidOut {
  series: SeriesSpec;
  row: Row;
  isContext: boolean;
}

/** The content of each row of the aligned data after the positions. Context comes first, so that it is drawn behind. */
export function layout({ series, context = [] }: Pick<ChartSpec, "series" | "context">): LaidOut[] {
  return [
    ...context.flatMap((one) =>
      contextRowsOf(one).map((row) => ({ series: one, row, isContext: true })),
    ),
    ...series.flatMap((one) => rowsOf(one).map((row) => ({ series: one, row, isContext: false }))),
  ];
}

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

/** With more series than this, only their lines are drawn, since points would cover them. */
const FEW = 12;

/** Pixels between two positions of the grid. */
const CELL = 1.5;

export function isCrowded({ series }: Pick<ChartSpec, "series">): boolean {
  return series.length > FEW;
}

interface Grid {
  x: Interval;
  scale: ValueScale;
  width: number;
}

/**
 * Samples the lines of many series at shared positions about a pixel apart. With positions of their own, a
 * hundred series of a thousand points would need a hundred thousand rows, most of them empty.
 */
export function linesOnGrid(
  spec: ChartSpec,
  curveOf: (series: SeriesSpec) => Curve,
  { x: [from, to], scale, width }: Grid,
): AlignedData {
  const cells = Math.max(2, Math.round(width / CELL));
  const xs = Array.from({ length: cells }, (_, i) => from + ((to - from) * i) / (cells - 1));
  const nothing: AlignedValue[] = Array.from({ length: cells }, () => undefined);
  const lines = layout(spec).map(({ series, row }) =>
    row === "line" ? onGrid(curveOf(series), xs, scale) : nothing,
  );
  return [xs, ...lines];
}

/** The newest value up to each position; undefined before the first and after the last point. */
function onGrid({ x, line }: Curve, xs: readonly number[], scale: ValueScale): AlignedValue[] {
  const last = x.at(-1) ?? -Infinity;
  const cell = (xs[1] ?? 0) - (xs[0] ?? 0);
  return xs.map((position) => {
    const at = lastUpTo(x, position);
    if (at < 0 || position >= last + cell) return undefined;
    const height = scale.of(line[at] ?? Number.NaN);
    return Number.isFinite(height) ? height : null;
  });
}

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
