import { line, scale } from "../picture/scale";

export interface HintCurvePath {
  /** SVG paths; a gap ends one and begins another. */
  path: string;
  /** Edges of the marked stretch, in the same pixels. */
  mark: { from: number; to: number };
}

export interface CurveSize {
  width: number;
  height: number;
}

const PAD = 4;
const LEAST_MARK = 4;

/** A small picture of a curve with the stretch a hint speaks of; `null` if there is no curve to draw. */
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
  return { path: runs.map(line).join(""), mark: { from, to } };
}

/** From lowest to highest; a level curve lies in the middle. */
function bounds(values: readonly number[]): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}
