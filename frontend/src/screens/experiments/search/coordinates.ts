import type { SearchResults } from "@/api/types";
import { linearTicks, type Tick } from "@/charts/figure-scale";
import { decimal } from "@/lib/number";
import { parameterText } from "./trial-list";

/** One axis of the picture: maps values to positions from 0 to 1. */
export interface Axis {
  name: string;
  ticks: readonly Tick[];
  /** The value at a position. */
  says: (place: number) => string;
  /** How far the keyboard moves an end of a brush. */
  step: number;
}

/** One complete trial; a position is null if the hyperparameter's condition did not hold. */
export interface Line {
  number: number;
  objective: number;
  places: readonly (number | null)[];
}

/** The selected range of positions by name of an axis. */
export type Brushes = Readonly<Record<string, readonly [number, number]>>;

export const OBJECTIVE = "objective";
const STEP = 0.05;

/** The axes, the objective last, and the trials as lines across them. */
export function coordinatesOf({ coordinates }: Pick<SearchResults, "coordinates">): {
  axes: Axis[];
  lines: Line[];
} {
  const objectives = coordinates.lines.map(({ objective }) => objective);
  const low = Math.min(...objectives);
  const high = Math.max(...objectives);
  const place = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const axes = coordinates.axes.map(axisOf);
  axes.push({
    name: OBJECTIVE,
    ticks: ends(low, high, decimal),
    says: (at) => decimal(low + at * (high - low)),
    step: STEP,
  });
  const lines = coordinates.lines.map(({ number, objective, places }) => ({
    ...{ number, objective, places: [...places, place(objective)] },
  }));
  return { axes, lines };
}

function axisOf({
  name,
  log,
  low,
  high,
  choices,
}: SearchResults["coordinates"]["axes"][number]): Axis {
  if (choices) {
    const last = Math.max(choices.length - 1, 1);
    return {
      ...{ name, step: 1 / last },
      ticks: choices.map((choice, i) => ({ at: i / last, label: parameterText(choice) })),
      says: (at) => parameterText(choices[Math.round(at * last)]),
    };
  }
  const from = low ?? 0;
  const to = high ?? 1;
  const valueAt = (at: number) => (log ? from * (to / from) ** at : from + at * (to - from));
  if (log) {
    return { name, step: STEP, ticks: powers(from, to), says: (at) => parameterText(valueAt(at)) };
  }
  const inner = linearTicks([from, to], 4).map(({ at, label }) => ({
    ...{ at: (at - from) / (to - from), label },
  }));
  return { name, step: STEP, ticks: inner, says: (at) => parameterText(valueAt(at)) };
}

/** The powers of ten of a logarithmic axis; its ends where there are fewer than two. */
function powers(low: number, high: number): Tick[] {
  const place = (value: number) => Math.log(value / low) / Math.log(high / low);
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const found = Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => 10 ** (first + i));
  const shown = found.length > 1 ? found : [low, high];
  return shown.map((value) => ({ at: place(value), label: parameterText(value) }));
}

function ends(low: number, high: number, words: (value: number) => string): Tick[] {
  if (!Number.isFinite(low)) return [];
  if (low === high) return [{ at: 0.5, label: words(low) }];
  return linearTicks([low, high], 4).map(({ at, label }) => ({
    ...{ at: (at - low) / (high - low), label },
  }));
}

/** Whether a trial is within all selected ranges. */
export function passes(axes: readonly Axis[], line: Line, brushes: Brushes): boolean {
  return axes.every(({ name }, i) => {
    const brush = brushes[name];
    const place = line.places[i] ?? null;
    return !brush || (place !== null && place >= brush[0] - 1e-9 && place <= brush[1] + 1e-9);
  });
}

/** The selected ranges with a changed one. A range over the whole axis removes the selection. */
export function brushed(brushes: Brushes, name: string, from: number, to: number): Brushes {
  const low = Math.max(0, Math.min(from, to));
  const high = Math.min(1, Math.max(from, to));
  const others = Object.fromEntries(Object.entries(brushes).filter(([axis]) => axis !== name));
  return low <= 1e-9 && high >= 1 - 1e-9 ? others : { ...others, [name]: [low, high] };
}

/** One end of a brush moved by the keyboard; it stops at the other end. */
export function moved(
  brushes: Brushes,
  { name, step }: Axis,
  end: "from" | "to",
  by: number | "first" | "last",
): Brushes {
  const [from, to] = brushes[name] ?? [0, 1];
  const at = end === "from" ? from : to;
  const next = by === "first" ? 0 : by === "last" ? 1 : Math.round(at / step + by) * step;
  return end === "from"
    ? brushed(brushes, name, Math.min(next, to), to)
    : brushed(brushes, name, from, Math.max(next, from));
}

/** Layout of the axes: side by side or, if the width is small, one above the other. */
export interface CoordinateFrame {
  stacked: boolean;
  height: number;
  /** In pixels, of a place from 0 to 1 on an axis. */
  point: (axis: number, place: number) => [number, number];
  /** The position along an axis, from 0 to 1, of a pixel. */
  placeAt: (x: number, y: number) => number;
}

const NARROWEST = 104;
const TALL = 300;
const ROW = 56;
const MARGIN = { left: 48, right: 48, top: 30, bottom: 12, inset: 14 };

export function frameOf(width: number, axes: number): CoordinateFrame {
  const clamp = (share: number) => Math.min(Math.max(share, 0), 1);
  const inner = Math.max(width - MARGIN.left - MARGIN.right, 1);
  if (inner / Math.max(axes - 1, 1) >= NARROWEST) {
    const tall = TALL - MARGIN.top - MARGIN.bottom;
    return {
      ...{ stacked: false, height: TALL },
      point: (axis, place) => [
        MARGIN.left + (inner * axis) / Math.max(axes - 1, 1),
        TALL - MARGIN.bottom - place * tall,
      ],
      placeAt: (_, y) => clamp((TALL - MARGIN.bottom - y) / tall),
    };
  }
  const wide = Math.max(width - 2 * MARGIN.inset, 1);
  return {
    ...{ stacked: true, height: ROW * axes + 12 },
    point: (axis, place) => [MARGIN.inset + place * wide, ROW * axis + 28],
    placeAt: (x) => clamp((x - MARGIN.inset) / wide),
  };
}
