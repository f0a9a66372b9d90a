import type { AxisWindow } from "@/stream/series/axis";
import type { Curve, PrepareOptions, ReadonlyColumn, SeriesSpec } from "./model";
import { lastUpTo, slice } from "./slice";
import { thinForScreen } from "./thin-for-screen";

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
