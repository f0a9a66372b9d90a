import { count, plural } from "@/lib/format";
import { align } from "./align";
import { type CurveOptions, heldValues, newestPosition, prepareCurve, smooths } from "./curve";
import type { ChartModel, ChartSpec, Curve, PrepareOptions, Interval, SeriesSpec } from "./model";
import { summarize } from "./readout";
import { rowsOf } from "./rows";
import { extent, logRange, mostOf, positionRange, valueRange } from "./scales";
import { logTicks } from "./ticks";

/** All series of a chart share this number of points a pixel, but each has at least `LEAST_POINTS`. */
const POINTS_A_PIXEL = 3;
const LEAST_POINTS = 300;

const CROWD = 400;

/** Remembers the curves of a chart, so that of ten runs only those that moved are prepared anew. */
export type CurveCache = Map<string, { key: string; curve: Curve }>;

/** Decides everything about the picture of a chart; the plot only draws it. Pure but for `cache`. */
export function prepare(
  spec: ChartSpec,
  options: PrepareOptions,
  cache: CurveCache = new Map(),
): ChartModel {
  const { window, hidden, log } = options;
  const shown = spec.series.filter(({ id }) => !hidden.has(id));
  const x = positionRange(newestPosition(shown), window);
  const curveOptions = {
    window,
    smoothing: options.smoothing,
    range: x[1] - x[0],
    maxPoints: Math.max(LEAST_POINTS, (options.width * POINTS_A_PIXEL) / Math.max(1, shown.length)),
  };
  const curves = spec.series.map((series) =>
    hidden.has(series.id) ? empty(series) : cached(series, curveOptions, cache),
  );
  // In a zoomed window a level far above the curve would flatten it, so levels do not extend the range.
  const levels = window
    ? []
    : spec.references.map(({ value }) => value).filter((v) => !log || v > 0);
  const most = options.outliers ? fitToMost(shown, options, levels) : null;
  const scale = log ? Math.log10 : (value: number) => value;
  const range = scaled(most?.range ?? positive(extent(curves, levels), curves, log), scale);
  const y = log ? logRange(range) : valueRange(range);
  const model = {
    axis: spec.series[0]?.source.axis ?? "step",
    data: align(curves.map((curve, i) => ({ x: curve.x, ys: rows(spec.series[i]!, curve, log) }))),
    curves,
    x,
    y,
    log,
    yTicks: log ? logTicks(y) : null,
    references: spec.references
      .filter(({ value }) => !log || value > 0)
      .map(({ label, value }) => ({ label, at: scale(value) })),
    points: curves.reduce((sum, curve) => sum + curve.count, 0),
    faint: faintness(curves, options.smoothing),
    notes: notes(spec, options, curves, most?.outside ?? 0),
  };
  return { ...model, summary: summarize(spec, model) };
}

function cached(series: SeriesSpec, options: CurveOptions, cache: CurveCache): Curve {
  const { source, metric, spread } = series;
  const { version, count: points } = source.column(metric, options.window);
  const around = spread === undefined ? "" : source.column(spread, options.window).version;
  const { window, smoothing, range, maxPoints } = options;
  const key = [
    source.axis,
    version,
    points,
    around,
    window,
    smooths(series) && smoothing,
    range,
    maxPoints,
  ].join();
  const known = cache.get(series.id);
  if (known?.key === key) return known.curve;
  const curve = prepareCurve(series, options);
  cache.set(series.id, { key, curve });
  return curve;
}

function empty({ source, metric }: SeriesSpec): Curve {
  const column = source.column(metric);
  return {
    x: [],
    raw: [],
    line: [],
    spread: null,
    held: 0,
    count: column.count,
    latest: column.latest(),
  };
}

/** The rows of a series as they are drawn: on a logarithmic axis as decades, with a gap where there is none. */
function rows(series: SeriesSpec, { raw, line, spread }: Curve, log: boolean) {
  const drawn = (value: number | null) =>
    value === null ? null : !log ? value : value > 0 ? Math.log10(value) : null;
  const aside = (sign: number) =>
    line.map((middle, i) => {
      const around = spread?.[i] ?? null;
      return middle === null || around === null ? null : drawn(middle + sign * around);
    });
  return rowsOf(series).map((row) => {
    if (row === "raw") return log ? raw.map(drawn) : raw;
    if (row === "line") return log ? line.map(drawn) : line;
    return aside(row === "high" ? 1 : -1);
  });
}

/** On a logarithmic axis a range begins at the smallest value above zero. */
function positive(range: Interval, curves: readonly Curve[], log: boolean): Interval {
  if (!log || range[0] > 0) return range;
  let low = Infinity;
  for (const { raw, line } of curves) {
    for (const value of raw) if (value !== null && value > 0 && value < low) low = value;
    for (const value of line) if (value !== null && value > 0 && value < low) low = value;
  }
  return low === Infinity ? [Infinity, -Infinity] : [low, range[1]];
}

function scaled([low, high]: Interval, scale: (value: number) => number): Interval {
  return low > high ? [low, high] : [scale(low), scale(high)];
}

function fitToMost(
  series: readonly SeriesSpec[],
  { window, log }: PrepareOptions,
  levels: number[],
) {
  let range: Interval | null = null;
  const all = series.map((one) => {
    const values = heldValues(one, window);
    return log ? values.filter((value) => value > 0) : values;
  });
  for (const values of all) {
    const most = mostOf(values);
    if (most) range = range ? [Math.min(range[0], most[0]), Math.max(range[1], most[1])] : most;
  }
  if (!range) return null;
  const [low, high] = [Math.min(range[0], ...levels), Math.max(range[1], ...levels)];
  let outside = 0;
  for (const values of all) {
    for (const value of values) if (value < low || value > high) outside += 1;
  }
  return { range: [low, high] as Interval, outside };
}

function faintness(curves: readonly Curve[], smoothing: number): number {
  const crowd = Math.max(0, ...curves.map(({ x }) => x.length));
  return (smoothing > 0 ? 0.5 : 0.75) * (crowd > CROWD ? 0.55 : 1);
}

function notes(
  spec: ChartSpec,
  { log, window, hidden }: PrepareOptions,
  curves: readonly Curve[],
  outside: number,
): string[] {
  const shown = spec.series.filter(({ id }) => !hidden.has(id));
  const said: string[] = [];
  if (outside > 0) said.push(`${plural(outside, "point")} outside the range`);
  const unlogged = log ? shown.reduce((n, series) => n + notPositive(series, window), 0) : 0;
  if (unlogged > 0) said.push(`${plural(unlogged, "value")} ≤ 0 left out`);
  const held = curves.reduce((sum, curve) => sum + curve.held, 0);
  const all = curves.reduce(
    (sum, curve, i) => sum + (hidden.has(spec.series[i]!.id) ? 0 : curve.count),
    0,
  );
  const thinned = curves.some((curve, i) => thinnedInWindow(spec.series[i]!, curve, window));
  if (thinned) said.push(`${count(held)} of ${count(all)} points, every extreme kept`);
  return said;
}

function thinnedInWindow(
  { source, metric }: SeriesSpec,
  { held }: Curve,
  window: PrepareOptions["window"],
) {
  const column = source.column(metric, window);
  return held > 0 && column.count > column.length;
}

function notPositive(series: SeriesSpec, window: PrepareOptions["window"]): number {
  return heldValues(series, window).filter((value) => value <= 0).length;
}
