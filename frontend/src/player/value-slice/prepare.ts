import type { LiveSlice, StepRecord, ValueSlice } from "@/api/types";
import { decimal } from "@/lib/number";
import { type DrawnSpace, isPicture } from "../reading/space";

/** A place in the picture: shares of its width from the left, and of its height from the top. */
export interface Point {
  left: number;
  top: number;
}

/** The data that a slice is drawn from, live or recorded. */
export type DrawnSlice = Pick<ValueSlice, "kind" | "values" | "low" | "high" | "x" | "y">;

/** An observation of more numbers has too many components to choose two from. */
const MOST_COMPONENTS = 1024;

/** A space with a known shape or, as in step records, with the number of stored numbers. */
export type SlicedSpace = DrawnSpace & { numbers?: number };

/** Whether observations have two components of numbers to choose from. */
export function canBeSliced(space: SlicedSpace): boolean {
  const size = sizeOf(space);
  return space.kind === "Box" && !isPicture(space) && size > 1 && size <= MOST_COMPONENTS;
}

/** The components that can be chosen, by name. */
export function componentsOf(space: SlicedSpace): string[] {
  return Array.from(
    { length: sizeOf(space) },
    (_, place) => space.labels?.[place] || String(place),
  );
}

/** The initial pair of components of a space: the last two; in CartPole, angle and angular velocity. */
export function firstPair(space: SlicedSpace): [number, number] {
  return [sizeOf(space) - 2, sizeOf(space) - 1];
}

function sizeOf({ shape, numbers }: SlicedSpace): number {
  return shape ? shape.reduce((size, side) => size * side, 1) : (numbers ?? 0);
}

/** The whole observation, if every number of it was recorded. */
export function numbersOf({ observation }: StepRecord): number[] | null {
  if (!Array.isArray(observation)) return null;
  const flat: unknown[] = observation.flat(Infinity as 1);
  return flat.every((value) => typeof value === "number") ? flat : null;
}

/** A slice of a session, with the names of its components. */
export function drawnSlice({ slice, over: [x, y] }: LiveSlice, space: SlicedSpace): DrawnSlice {
  const axis = (place: number, reach: { low: number; high: number }) => ({
    ...reach,
    place,
    name: space.labels?.[place] || String(place),
    unit: space.units?.[place] ?? "",
  });
  return { ...slice, x: axis(x, slice.x), y: axis(y, slice.y) };
}

/** Position of a state in the slice; null if it lies outside, or was not recorded. */
export function pointOf({ x, y }: Pick<ValueSlice, "x" | "y">, record: StepRecord): Point | null {
  const numbers = numbersOf(record);
  if (!numbers) return null;
  const left = ((numbers[x.place] ?? NaN) - x.low) / (x.high - x.low);
  const top = 1 - ((numbers[y.place] ?? NaN) - y.low) / (y.high - y.low);
  return left >= 0 && left <= 1 && top >= 0 && top <= 1 ? { left, top } : null;
}

/** The way of the episode in pieces, each within the picture. */
export function pathOf(slice: Pick<ValueSlice, "x" | "y">, records: readonly StepRecord[]) {
  const pieces: Point[][] = [];
  let piece: Point[] | null = null;
  for (const record of records) {
    const point = pointOf(slice, record);
    if (!point) piece = null;
    else if (piece) piece.push(point);
    else pieces.push((piece = [point]));
  }
  return pieces;
}

/** How dark each value is, from 0 (the least) to 1, row by row from the top as a picture has it. */
export function sharesOf({ values, low, high }: DrawnSlice): (number | null)[][] {
  const span = high - low;
  return values
    .map((row) =>
      row.map((value) => (value === null ? null : span > 0 ? (value - low) / span : 0.5)),
    )
    .reverse();
}

/** The expected return at a point, in words. */
export function readAt(slice: DrawnSlice, { left, top }: Point): string {
  const { x, y, values } = slice;
  const row = values[nearest(1 - top, values.length)];
  const value = row?.[nearest(left, row.length)] ?? null;
  return `${sayAxis(x, left)}, ${sayAxis(y, 1 - top)}: ${quantity(slice)} ${decimal(value)}`;
}

/** The quantity that the colours show. */
export function quantity({ kind }: Pick<ValueSlice, "kind">): string {
  return kind === "value" ? "V" : "greatest Q";
}

const MOST_DIGITS = 9;

/** The smallest and the greatest value, with enough digits to distinguish them. */
export function endsOf({ low, high }: Pick<ValueSlice, "low" | "high">): [string, string] {
  let ends: [string, string] = [decimal(low), decimal(high)];
  for (let digits = 4; ends[0] === ends[1] && low !== high && digits <= MOST_DIGITS; digits += 1) {
    ends = [low.toPrecision(digits), high.toPrecision(digits)];
  }
  return ends;
}

/** The picture in one sentence, for screen readers. */
export function summaryOf(slice: DrawnSlice): string {
  const [low, high] = endsOf(slice);
  return `${quantity(slice)} over ${slice.x.name} and ${slice.y.name}, from ${low} to ${high}`;
}

function sayAxis({ name, unit, low, high }: ValueSlice["x"], share: number): string {
  return `${name} ${decimal(low + share * (high - low))}${unit ? ` ${unit}` : ""}`;
}

function nearest(share: number, size: number): number {
  return Math.min(size - 1, Math.max(0, Math.round(share * (size - 1))));
}

/** Where a key moves a point to: a cell of the picture, with Shift eight; null for any other key. */
export function movedBy(key: string, shift: boolean, { left, top }: Point): Point | null {
  const by = (shift ? 8 : 1) / 63;
  const within = (share: number) => Math.min(1, Math.max(0, share));
  switch (key) {
    case "ArrowLeft":
      return { left: within(left - by), top };
    case "ArrowRight":
      return { left: within(left + by), top };
    case "ArrowUp":
      return { left, top: within(top - by) };
    case "ArrowDown":
      return { left, top: within(top + by) };
    default:
      return null;
  }
}

/** Components whose values the user changed, by index. */
export type Changes = ReadonlyMap<number, number>;

export const NO_CHANGES: Changes = new Map();

/** Larger bounds do not count as bounds: some environments use the largest possible number. */
const UNBOUNDED = 1e6;

/** Range to either side of a component about which nothing is known. */
const REACH = 3;

/** `at`, with the changes in it. */
export function changed(at: readonly number[], changes: Changes): number[] {
  return at.map((value, place) => changes.get(place) ?? value);
}

/**
 * The range in which a component can be changed: its bounds, or otherwise the range of the episode, extended by half on
 * each side. It includes the current value.
 */
export function reachOf(
  space: SlicedSpace,
  place: number,
  records: readonly StepRecord[],
  now: number,
): { low: number; high: number } {
  const low = space.low?.[place] ?? -Infinity;
  const high = space.high?.[place] ?? Infinity;
  const isBounded = Math.abs(low) < UNBOUNDED && Math.abs(high) < UNBOUNDED && low < high;
  let [least, most] = isBounded ? [low, high] : [now, now];
  if (!isBounded) {
    for (const record of records) {
      const value = numbersOf(record)?.[place] ?? now;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    const margin = most > least ? (most - least) / 2 : REACH;
    [least, most] = [Math.max(low, least - margin), Math.min(high, most + margin)];
  }
  return { low: Math.min(least, now), high: Math.max(most, now) };
}
