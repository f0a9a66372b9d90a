import type { AlignedData, AlignedValue, ChartSpec, Curve, Interval, SeriesSpec } from "./model";
import { lastUpTo } from "./slice";
import { layout } from "./rows";
import type { ValueScale } from "./value-scale";

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
