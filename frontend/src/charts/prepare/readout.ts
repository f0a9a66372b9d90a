import { compact, count, decimal, plural } from "@/lib/number";
import type { MetricAxis } from "@/stream/series/axis";
import { elapsedLabel } from "./axes";
import { lastUpTo } from "./curve";
import type { AlignedValue, ChartModel, ChartSpec, Curve, Interval, SeriesSpec } from "./model";

export interface Readout {
  /** The value itself, and the smoothed one, at or before the cursor. */
  raw: number | null;
  line: number | null;
  spread: number | null;
  band: Interval | null;
  /** Of how many seeds (or runs) it is. */
  over: number | null;
}

const NOTHING: Readout = { raw: null, line: null, spread: null, band: null, over: null };

/**
 * The value of a series at a position: its value there, or its newest one before. A gap has none. At Infinity, it is
 * the newest value of all, so that every series of a chart shows the state at one moment.
 */
export function readoutAt({ x, raw, line, spread, band, over }: Curve, position: number): Readout {
  const at = lastUpTo(x, position);
  if (at < 0) return NOTHING;
  const [low, high] = [band?.low[at] ?? null, band?.high[at] ?? null];
  return {
    raw: raw[at] ?? null,
    line: line[at] ?? null,
    spread: spread?.[at] ?? null,
    band: low === null || high === null ? null : [low, high],
    over: over?.[at] ?? null,
  };
}

/**
 * Index of the point that `readoutAt` reads in a row of aligned data (row 0 has the positions), so that the mark on the
 * line matches the value in the legend; null before the first point and in a gap.
 */
export function readIndex(
  data: readonly ArrayLike<AlignedValue>[],
  row: number,
  position: number,
): number | null {
  const values = data[row]!;
  for (let i = lastUpTo(data[0] as ArrayLike<number>, position); i >= 0; i -= 1) {
    if (values[i] !== undefined) return values[i] === null ? null : i;
  }
  return null;
}

/** The name of a series. For a series over several seeds, it includes how many of them have a value here. */
export function labelAt({ label, over }: SeriesSpec, counted: number | null = null): string {
  if (!over) return label;
  const { all, one } = over;
  if (all === 1) return `${label}, ${plural(all, one)}`;
  if (counted === 1) return `${label}, 1 of ${plural(all, one)}`;
  const fewer = counted !== null && counted > 0 && counted < all;
  return `${label}, IQM of ${fewer ? `${count(counted)} of ` : ""}${plural(all, one)}`;
}

export function intervalText([low, high]: Interval): string {
  return `[${decimal(low)}, ${decimal(high)}]`;
}

/** Position in words, for instance `step 12,000`, `episode 31` or `1m 30s after the start`. */
export function positionLabel(axis: MetricAxis, x: number): string {
  return axis === "time" ? elapsedLabel(x) : `${axis} ${count(x)}`;
}

type Readable = Pick<ChartModel, "curves" | "axis">;

/** The values under the cursor in a sentence, for screen readers. */
export function sentenceAt(
  spec: ChartSpec,
  model: Readable,
  x: number,
  hidden: ReadonlySet<string>,
): string {
  const values = spec.series.flatMap((series, i) => {
    if (hidden.has(series.id)) return [];
    const { raw, line, spread, band, over } = readoutAt(model.curves[i]!, x);
    const label = labelAt(series, over);
    if (raw === null) return [`${label} none`];
    const around =
      spread === null ? (band ? ` ${intervalText(band)}` : "") : ` ± ${decimal(spread)}`;
    const smoothed = line === null || line === raw ? "" : `, smoothed ${decimal(line)}`;
    return [`${label} ${decimal(raw)}${around}${smoothed}`];
  });
  return `${positionLabel(model.axis, x)}: ${values.join("; ")}`;
}

/** A summary of the chart in a sentence, for screen readers. */
export function summarize(
  spec: ChartSpec,
  model: Pick<ChartModel, "curves" | "axis" | "points">,
): string {
  if (model.points === 0) return `${spec.title}: ${spec.empty}`;
  const values = spec.series.flatMap((series, i) => {
    const { raw, over } = readoutAt(model.curves[i]!, Infinity);
    return raw === null ? [] : [`${labelAt(series, over)} ${decimal(raw)}`];
  });
  const levels = spec.references.map(({ label, value }) => `${label} ${decimal(value)}`);
  const last = Math.max(0, ...model.curves.map(({ x }) => x.at(-1) ?? 0));
  const where =
    model.axis === "time" ? `after ${elapsedLabel(last)}` : `at ${model.axis} ${compact(last)}`;
  return `${spec.title} ${where}: ${[...values, ...levels].join(", ")}. ${plural(model.points, "point")}.`;
}
