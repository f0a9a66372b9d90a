type Values = readonly (number | null)[];

export interface LineScale {
  /** First and last step of the axis. */
  x: readonly [number, number];
  y: readonly [number, number];
}

/** While the episode goes on, the axis extends beyond it, so that it seldom has to be rescaled. */
const ROOMS = [1, 1.5, 2, 3, 5, 7.5];
const LEAST = 50;

/** Share of its values that the axis spans at least: less is rounding, and its labels would be the same. */
const LEAST_SPAN = 0.02;

export function lineScale(
  lines: readonly Values[],
  { first, grows, fromZero }: { first: number; grows: boolean; fromZero: boolean },
): LineScale {
  const length = Math.max(1, ...lines.map((values) => values.length));
  const last = first + length - 1;
  let low = fromZero ? 0 : Infinity;
  let high = fromZero ? 0 : -Infinity;
  for (const values of lines) {
    for (const value of values) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) [low, high] = [0, 1];
  if (low === high) [low, high] = fromZero ? [0, 1] : [low - 0.5, high + 0.5];
  const missing = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  if (missing > 0) [low, high] = [low - missing / 2, high + missing / 2];
  return {
    x: [first, grows ? first + roomFor(length) : Math.max(first + 1, last)],
    y: [low, high],
  };
}

function roomFor(length: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(LEAST, length)));
  const room = [...ROOMS, 10].map((part) => part * decade).find((size) => size >= length);
  return Math.max(LEAST, room ?? length);
}

/** The step at a share (0 to 1) of the axis, among those that are kept. */
export function stepAt(share: number, { x: [from, to] }: LineScale, length: number): number {
  const step = Math.round(from + Math.min(1, Math.max(0, share)) * (to - from));
  return Math.min(from + Math.max(0, length - 1), step);
}
