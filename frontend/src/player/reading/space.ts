import type { Space, StateFactor, StepRecord } from "@/api/types";
import { decimal } from "@/lib/number";

/**
 * The parts of a space that drawing needs, from the registry or a session. `units` and bounds are per number; if they
 * are unknown, numbers have no unit, and actions are drawn within −1 … 1.
 */
export type DrawnSpace = Pick<Space, "kind" | "shape" | "n" | "labels" | "dtype" | "counts"> & {
  units?: readonly string[];
  factors?: readonly StateFactor[];
  is_picture?: boolean;
  low?: readonly (number | null)[] | null;
  high?: readonly (number | null)[] | null;
  /**
   * The smallest value of a Discrete space, which the first label names, or of each number of a MultiDiscrete; 0 if
   * unknown.
   */
  starts?: readonly number[] | null;
};

/** A space as far as its values can be counted. */
export type CountedSpace = Pick<DrawnSpace, "kind" | "counts" | "labels" | "starts">;

/** The quantities that the number of a state encodes, with their values. */
export function decodedState(
  factors: readonly StateFactor[],
  state: number,
): { name: string; value: string }[] {
  let rest = state;
  return factors
    .toReversed()
    .map(({ name, n, start = 0, labels }) => {
      const place = rest % n;
      rest = Math.floor(rest / n);
      return { name, value: labels?.[place] ?? String(start + place) };
    })
    .reverse();
}

/** The place of an action or a state of a Discrete space among all of them. */
export function placeOf({ starts }: DrawnSpace, value: number): number {
  return value - (starts?.[0] ?? 0);
}

/** Whether its numbers are whole: counted values, or bits. */
export function isCounted({ kind }: Pick<DrawnSpace, "kind">): boolean {
  return kind === "Discrete" || kind === "MultiDiscrete" || kind === "MultiBinary";
}

/** Name of the action or component at an index; its number if it has no name. */
export function nameOf({ labels, kind, starts }: DrawnSpace, place: number): string {
  return labels?.[place] || String(place + (kind === "Discrete" ? (starts?.[0] ?? 0) : 0));
}

/** One of the choices that make a MultiDiscrete action, and its values in words. */
export interface ActionChoice {
  name: string;
  values: readonly string[];
}

/** The choices of a MultiDiscrete; empty for other spaces, and if the numbers of values are unknown. */
export function actionChoices({ kind, counts, labels, starts }: CountedSpace): ActionChoice[] {
  if (kind !== "MultiDiscrete") return [];
  return (counts ?? []).map((count, place) => ({
    name: labels?.[place] || `component ${place}`,
    values: Array.from({ length: count }, (_, value) => String((starts?.[place] ?? 0) + value)),
  }));
}

/** Splits the numbers of all values into a list for each of `choices`; null if their number does not match. */
export function byChoice(
  numbers: readonly number[],
  choices: readonly ActionChoice[],
): (readonly number[])[] | null {
  let end = 0;
  const parts = choices.map(({ values }) => numbers.slice(end, (end += values.length)));
  return choices.length > 0 && end === numbers.length ? parts : null;
}

export function boundsOf({ low, high }: DrawnSpace, place: number): [number, number] {
  return [low?.[place] ?? -1, high?.[place] ?? 1];
}

/** Whether bounds are known. Without them, a squashed action has no values in the environment's units. */
export function hasBounds({ low, high }: DrawnSpace): boolean {
  return Boolean(low?.length && high?.length);
}

/** Whether an element is a picture, bytes in rows and columns: known by its hash, never sent as numbers. */
export function isPicture({ kind, shape, dtype, is_picture }: DrawnSpace): boolean {
  return is_picture ?? (kind === "Box" && (shape?.length ?? 0) > 1 && dtype === "uint8");
}

/**
 * The places in `space` of the counted action that was chosen in the state of `record`, one for each of its choices; of
 * a MultiBinary its bits. It is the action that led to the next step, or before that step the preferred one of a greedy
 * policy.
 */
export function chosenAction(
  record: StepRecord,
  next: StepRecord | null,
  greedy: boolean,
  space: DrawnSpace,
): readonly number[] | null {
  if (next) return isCounted(space) ? placesOf(space, next.action) : null;
  if (!greedy || record.terminated || record.truncated) return null;
  const preferred = record.reading?.probabilities ?? record.reading?.q_values;
  if (!preferred) return null;
  if (space.kind === "MultiBinary") return preferred.map((share) => (share > 0.5 ? 1 : 0));
  const places = record.reading?.places;
  if (places) return [places[placeOfMost(preferred)]!];
  const parts = byChoice(preferred, actionChoices(space)) ?? [preferred];
  return parts.map(placeOfMost);
}

function placesOf(space: DrawnSpace, action: StepRecord["action"]): readonly number[] | null {
  if (typeof action === "number") return [placeOf(space, action)];
  if (!Array.isArray(action)) return null;
  return action
    .flat(Infinity as 1)
    .map((value, choice) => Number(value) - (space.starts?.[choice] ?? 0));
}

/** An action in words: its name, or the number of each component. */
export function actionText(action: StepRecord["action"], space: DrawnSpace): string | null {
  if (action === null || action === undefined) return null;
  if (typeof action === "number") {
    return space.kind === "Discrete" ? nameOf(space, placeOf(space, action)) : decimal(action);
  }
  if (!Array.isArray(action)) return JSON.stringify(action);
  return action
    .flat(Infinity as 1)
    .map((value, place) => {
      const text = typeof value === "number" && !isCounted(space) ? decimal(value) : String(value);
      return space.labels?.[place] ? `${space.labels[place]} ${text}` : text;
    })
    .join(", ");
}

/** What is drawn of very many numbers: the greatest, and what the rest amount to. */

/** With more rows than this, only some are drawn. */
export const MOST_ROWS = 24;

/** Number of rows that are drawn of more than `MOST_ROWS`. */
export const TOP_ROWS = 10;

/** The least and the greatest of `values`; 0 and 0 of none. For lists too long to be arguments of `Math.max`. */
export function rangeOf(values: Iterable<number>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 0] : [low, high];
}

/** The place of the greatest of `values`, the first of several; −1 of none. */
function placeOfMost(values: readonly number[]): number {
  let most = values.length > 0 ? 0 : -1;
  for (let place = 1; place < values.length; place += 1) {
    if (values[place]! > values[most]!) most = place;
  }
  return most;
}

/**
 * The places that are drawn: all, in their order, or of very many those of the greatest values, the greatest first, and
 * `always` after them.
 */
export function drawnPlaces(values: readonly number[], always: readonly number[] = []): number[] {
  if (values.length <= MOST_ROWS) return [...values.keys()];
  const top: number[] = [];
  values.forEach((value, place) => {
    if (top.length === TOP_ROWS && value <= values[top.at(-1)!]!) return;
    const before = top.findIndex((other) => values[other]! < value);
    top.splice(before < 0 ? top.length : before, 0, place);
    top.length = Math.min(top.length, TOP_ROWS);
  });
  const others = always.filter((place) => place in values && !top.includes(place));
  return [...top, ...others];
}
