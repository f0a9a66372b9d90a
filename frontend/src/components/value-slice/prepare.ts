import type { StepRecord, ValueSlice } from "@/lib/api";
import { decimal } from "@/lib/format";
import type { DrawnSpace } from "@/components/thoughts";

/** A place in the picture: shares of its width from the left, and of its height from the top. */
export interface Point {
  left: number;
  top: number;
}

/** A space whose shape is told, or, as step records say it, how many numbers an element has. */
export type SlicedSpace = DrawnSpace & { numbers?: number };

/** Whether observations have two components of numbers to choose from. */
export function canBeSliced(space: SlicedSpace): boolean {
  return space.kind === "Box" && sizeOf(space) > 1;
}

/** The components that can be chosen, by name. */
export function componentsOf(space: SlicedSpace): string[] {
  return Array.from(
    { length: sizeOf(space) },
    (_, place) => space.labels?.[place] || String(place),
  );
}

/** The pair that a slice of this space begins with: the last two; in CartPole angle and angular velocity. */
export function firstPair(space: SlicedSpace): [number, number] {
  return [sizeOf(space) - 2, sizeOf(space) - 1];
}

function sizeOf({ shape, numbers }: SlicedSpace): number {
  return shape ? (shape.length === 1 ? (shape[0] ?? 0) : 0) : (numbers ?? 0);
}

/** The whole observation, if every number of it was recorded. */
export function numbersOf({ observation }: StepRecord): number[] | null {
  return Array.isArray(observation) && observation.every((value) => typeof value === "number")
    ? (observation as number[])
    : null;
}

/** Where the slice says a state is; null if it lies outside, or was not recorded. */
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
export function sharesOf({ values, low, high }: ValueSlice): (number | null)[][] {
  const span = high - low;
  return values
    .map((row) =>
      row.map((value) => (value === null ? null : span > 0 ? (value - low) / span : 0.5)),
    )
    .reverse();
}

/** What is expected at a point, in words. */
export function readAt(slice: ValueSlice, { left, top }: Point): string {
  const { x, y, values } = slice;
  const row = values[nearest(1 - top, values.length)];
  const value = row?.[nearest(left, row.length)] ?? null;
  return `${sayAxis(x, left)}, ${sayAxis(y, 1 - top)}: ${quantity(slice)} ${decimal(value)}`;
}

/** What the colours stand for. */
export function quantity({ kind }: Pick<ValueSlice, "kind">): string {
  return kind === "value" ? "V" : "greatest Q";
}

/** The picture in one sentence, for those who hear it. */
export function summaryOf(slice: ValueSlice): string {
  const { x, y, low, high } = slice;
  return `${quantity(slice)} over ${x.name} and ${y.name}, from ${decimal(low)} to ${decimal(high)}`;
}

function sayAxis({ name, unit, low, high }: ValueSlice["x"], share: number): string {
  return `${name} ${decimal(low + share * (high - low))}${unit ? ` ${unit}` : ""}`;
}

function nearest(share: number, size: number): number {
  return Math.min(size - 1, Math.max(0, Math.round(share * (size - 1))));
}
