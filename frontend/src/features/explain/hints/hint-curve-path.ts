import { linePath, scale } from "@/charts/figure-scale";

export interface HintCurvePath {
  /** SVG path data. A gap in the values ends a subpath. */
  path: string;
  /** Left and right edge of the marked stretch, in pixels. */
  mark: { from: number; to: number };
}

export interface CurveSize {
  width: number;
  height: number;
}

const PAD = 4;
const LEAST_MARK = 4;

/** A sparkline of a metric with the stretch that a hint refers to; `null` without values. */
export function hintCurvePath(
  x: readonly number[],
  y: readonly (number | null)[],
  range: { from: number; to: number },
  { width, height }: CurveSize,
): HintCurvePath | null {
  const values = y.filter((value) => value !== null);
  const first = x[0];
  const last = x.at(-1);
  if (values.length < 2 || first === undefined || last === undefined || first === last) return null;
  const across = scale([first, last], [0, width]);
  const up = scale(bounds(values), [height - PAD, PAD]);
  const runs: [number, number][][] = [[]];
  y.forEach((value, i) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([across(x[i] ?? first), up(value)]);
  });
  const from = Math.max(0, Math.min(across(range.from), width - LEAST_MARK));
  const to = Math.min(width, Math.max(across(range.to), from + LEAST_MARK));
  return { path: runs.map(linePath).join(""), mark: { from, to } };
}

/** Minimum and maximum. A constant curve gets one more on each side, so that it lies in the middle. */
function bounds(values: readonly number[]): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}
