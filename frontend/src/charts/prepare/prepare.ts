import { count, plural } from "@/lib/number";
import {
  extent,
  logRange,
  mostOf,
  positionRange,
  valueRange,
  type ValueScale,
  valueScale,
} from "./axes";
import {
  align,
  contextRowsOf,
  type CurveOptions,
  heldValues,
  isCrowded,
  linesOnGrid,
  newestPosition,
  prepareCurve,
  rowsOf,
  smooths,
} from "./curve";
import type {
  ChartModel,
  ChartSpec,
  Curve,
  Interval,
  PrepareOptions,
  ReadonlyColumn,
  SeriesSpec,
} from "./model";
import { summarize } from "./readout";

/** Points per pixel that the series of a chart share; each has at least LEAST_POINTS. */
const POINTS_A_PIXEL = 3;
const LEAST_POINTS = 300;

const CROWD = 400;

/** Height in pixels from which a chart names its axis. */
const ROOMY = 190;

/** Caches the curves of a chart, so that of ten runs only those with new data are prepared again. */
export type CurveCache = Map<string, { column: ReadonlyColumn; key: string; curve: Curve }>;

/** Makes everything that the plot of a chart needs. Pure except for `cache`. */
export function prepare(
  spec: ChartSpec,
  options: PrepareOptions,
  cache: CurveCache = new Map(),
): ChartModel {
  const { window, hidden } = options;
  const { context = [] } = spec;
  const shown = spec.series.filter(({ id }) => !hidden.has(id));
  const x = positionRange(newestPosition([...shown, ...context]), window);
  const curveOptions = {
    window,
    smoothing: options.smoothing,
    maxPoints: Math.max(LEAST_POINTS, (options.width * POINTS_A_PIXEL) / Math.max(1, shown.length)),
  };
  const curves = spec.series.map((series) =>
    hidden.has(series.id) ? empty(series) : cached(series, curveOptions, cache),
  );
  const behind = context.map((series) => cached(series, curveOptions, cache));
  const drawn = new Map<SeriesSpec, Curve>([
    ...context.map((series, i) => [series, behind[i]!] as const),
    ...spec.series.map((series, i) => [series, curves[i]!] as const),
  ]);
  // In a zoomed window a level far above the curve would flatten it, so levels do not extend the range; nor does a
  // baseline in any, as a trained policy may leave it far behind.
  const goals = spec.references.filter(({ isBaseline }) => !isBaseline);
  const levels = [
    ...(window ? [] : goals.map(({ value }) => value)),
    ...context.flatMap((series) => usualRange(heldValues(series, window))),
  ];
  const most = options.outliers ? fitToMost(shown, window, levels) : null;
  const range = most?.range ?? extent(curves, levels);
  const scale = valueScale(options.log, range, smallestSize(curves));
  const y =
    scale.kind === "linear"
      ? valueRange(range, spec.bounds)
      : logRange([scale.of(range[0]), scale.of(range[1])]);
  const model = {
    axis: spec.series[0]?.source.axis ?? "step",
    data: isCrowded(spec)
      ? linesOnGrid(spec, (series) => drawn.get(series)!, { x, scale, width: options.width })
      : align([
          ...context.map((series, i) => ({
            x: behind[i]!.x,
            ys: rows(series, behind[i]!, scale).slice(1, 1 + contextRowsOf(series).length),
          })),
          ...curves.map((curve, i) => ({ x: curve.x, ys: rows(spec.series[i]!, curve, scale) })),
        ]),
    curves,
    isEmpty: [...curves, ...behind].every(({ count }) => count === 0),
    x,
    y,
    scale: scale.kind,
    yTicks: scale.ticks(y),
    hasAxisName: options.height >= ROOMY,
    references: spec.references
      .map(({ value, isBaseline = false }) => ({ at: scale.of(value), isBaseline }))
      .filter(({ at }) => Number.isFinite(at)),
    points: curves.reduce((sum, curve) => sum + curve.count, 0),
    faint: faintness(curves, options.smoothing),
    notes: notes(spec, options, curves, most?.outside ?? 0),
  };
  return { ...model, summary: summarize(spec, model) };
}

function cached(series: SeriesSpec, options: CurveOptions, cache: CurveCache): Curve {
  const { source, metric, spread, band } = series;
  const column = source.column(metric, options.window);
  const around = spread === undefined ? "" : source.column(spread, options.window).version;
  const { window, smoothing, maxPoints } = options;
  const key = [
    source.axis,
    column.version,
    column.count,
    around,
    band && source.column(band.low, options.window).version,
    window,
    smooths(series) && smoothing,
    maxPoints,
  ].join();
  const known = cache.get(series.id);
  if (known?.key === key && known.column === column) return known.curve;
  const curve = prepareCurve(series, options);
  cache.set(series.id, { column, key, curve });
  return curve;
}

function empty({ source, metric }: SeriesSpec): Curve {
  return {
    x: [],
    raw: [],
    line: [],
    spread: null,
    band: null,
    over: null,
    held: 0,
    count: source.column(metric).count,
  };
}

/**
 * The rows of a series as heights on the value scale. A value without a height, such as 0 on a logarithmic scale,
 * becomes a gap.
 */
function rows(series: SeriesSpec, { raw, line, spread, band }: Curve, scale: ValueScale) {
  if (scale.kind === "linear" && !spread && !band)
    return rowsOf(series).map((row) => (row === "raw" ? raw : line));
  const height = (value: number | null) => {
    const at = value === null ? Number.NaN : scale.of(value);
    return Number.isFinite(at) ? at : null;
  };
  const aside = (sign: number) =>
    line.map((middle, i) => {
      const around = spread?.[i] ?? null;
      return middle === null || around === null ? null : height(middle + sign * around);
    });
  return rowsOf(series).map((row) => {
    if (row === "raw") return raw.map(height);
    if (row === "line") return line.map(height);
    if (band) return band[row].map(height);
    return aside(row === "high" ? 1 : -1);
  });
}

/** The smallest absolute value in the plot, other than zero. */
function smallestSize(curves: readonly Curve[]): number {
  let smallest = Infinity;
  const take = (value: number | null) => {
    if (value !== null && value !== 0) smallest = Math.min(smallest, Math.abs(value));
  };
  for (const { raw, line } of curves) {
    raw.forEach(take);
    line.forEach(take);
  }
  return smallest;
}

function fitToMost(
  series: readonly SeriesSpec[],
  window: PrepareOptions["window"],
  levels: readonly number[],
) {
  let range: Interval | null = null;
  const all = series.map((one) => heldValues(one, window));
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

/** Context extends the range only by its usual values: a diverged loss would flatten the curves. */
function usualRange(values: Float64Array): number[] {
  return mostOf(values) ?? [...values];
}

function faintness(curves: readonly Curve[], smoothing: number): number {
  const crowd = Math.max(0, ...curves.map(({ x }) => x.length));
  return (smoothing > 0 ? 0.65 : 0.85) * (crowd > CROWD ? 0.75 : 1);
}

function notes(
  spec: ChartSpec,
  { window, hidden }: PrepareOptions,
  curves: readonly Curve[],
  outside: number,
): string[] {
  const said: string[] = spec.leftOut && curves.some(({ held }) => held > 0) ? [spec.leftOut] : [];
  if (outside > 0) said.push(`${plural(outside, "point")} outside the range`);
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
