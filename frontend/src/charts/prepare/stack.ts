import type { AxisWindow } from "@/stream/series/axis";
import { firstFrom, lastUpTo } from "./curve";
import type { Interval, ReadonlyColumn } from "./model";

/** A part of a sum, such as a component of the reward: its values over the axis. */
export interface StackPart {
  id: string;
  column: ReadonlyColumn;
}

interface StackOptions {
  /** The part of the axis to show; null for the whole axis. */
  window: AxisWindow | null;
  /** Smoothing of the columns; 0 shows their values. */
  smoothing: number;
  /** Largest number of columns of the picture. */
  most: number;
}

/** Parts of a sum as stacked columns: positive values above zero, negative ones below. */
export interface Stack {
  /** The edges of the columns on the axis, one more than there are columns. */
  edges: readonly number[];
  /** In the order of the parts. */
  parts: readonly {
    id: string;
    /** Mean in each column; 0 where there is none. */
    values: readonly number[];
    /** Where each column lies, from the end near zero to the other. */
    spans: readonly Interval[];
    /** Share of all that the parts gained and lost in what is shown, from 0 to 1. */
    share: number;
  }[];
  /** Sum of the parts in each column. */
  totals: readonly number[];
  x: Interval;
  y: Interval;
}

/** Stacks the means of `parts`. Each column stands for the same number of points of the part with the most. */
export function stackOf(
  parts: readonly StackPart[],
  { window, smoothing, most }: StackOptions,
): Stack | null {
  const held = parts.map(({ column }) => heldIn(column, window));
  const longest = held.reduce((best, [from, to], i) => {
    const [bestFrom, bestTo] = held[best]!;
    return to - from > bestTo - bestFrom ? i : best;
  }, 0);
  const [from, to] = held[longest] ?? [0, 0];
  if (to <= from) return null;
  const { x } = parts[longest]!.column;
  const each = Math.ceil((to - from) / Math.max(1, most));
  const edges = [window?.[0] ?? 0];
  for (let at = from + each - 1; at < to - 1; at += each) addEdge(edges, x[at]!);
  addEdge(edges, x[to - 1]!);
  if (edges.length < 2) return null;
  const values = parts.map(({ column }, i) => means(column, held[i]!, edges, smoothing));
  return stacked(
    parts.map(({ id }) => id),
    values,
    edges,
    window,
  );
}

/** Episodes that ended together have one position. */
function addEdge(edges: number[], at: number) {
  if (at > edges.at(-1)!) edges.push(at);
}

function stacked(
  ids: readonly string[],
  values: readonly (readonly number[])[],
  edges: readonly number[],
  window: AxisWindow | null,
): Stack {
  const columns = edges.length - 1;
  const above = new Array<number>(columns).fill(0);
  const below = new Array<number>(columns).fill(0);
  const sizes = values.map((own) => own.reduce((sum, value) => sum + Math.abs(value), 0));
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const parts = values.map((own, i) => ({
    id: ids[i]!,
    values: own,
    spans: own.map((value, column): Interval => {
      const ends = value < 0 ? below : above;
      const start = ends[column]!;
      ends[column] = start + value;
      return [start, ends[column]];
    }),
    share: size > 0 ? sizes[i]! / size : 0,
  }));
  const high = Math.max(0, ...above);
  const low = Math.min(0, ...below);
  const room = (high - low || 1) * 0.05;
  return {
    edges,
    parts,
    totals: above.map((top, column) => top + below[column]!),
    x: window ? [window[0], window[1]] : [edges[0]!, edges.at(-1)!],
    y: [low < 0 ? low - room : 0, high > 0 ? high + room : 0],
  };
}

/** Indices of the points within the window. */
function heldIn(column: ReadonlyColumn, window: AxisWindow | null): [from: number, to: number] {
  if (!window) return [0, column.length];
  const held = column.x.subarray(0, column.length);
  return [firstFrom(column, window[0]), lastUpTo(held, window[1]) + 1];
}

function means(
  { x, y, smoothed }: ReadonlyColumn,
  [from, to]: readonly [number, number],
  edges: readonly number[],
  smoothing: number,
): number[] {
  const values = smoothing > 0 ? smoothed : y;
  let at = from;
  return edges.slice(1).map((edge) => {
    let [sum, count] = [0, 0];
    for (; at < to && x[at]! <= edge; at += 1) {
      const value = values[at]!;
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    return count > 0 ? sum / count : 0;
  });
}

/** The column at a position; null if there is none. */
export function columnAt({ edges }: Pick<Stack, "edges">, x: number): number | null {
  const first = edges[0]!;
  if (x < first || x > edges.at(-1)!) return null;
  return Math.max(0, firstFrom({ x: Float64Array.from(edges), length: edges.length }, x) - 1);
}
