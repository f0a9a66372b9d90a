import type { Space, StateFactor } from "@/api/types";

/**
 * A space as far as drawing needs it: a registry's or a session's. `units` and bounds are of each number; where they
 * are not told, numbers stand without a unit, and actions are drawn within −1 … 1.
 */
export type DrawnSpace = Pick<Space, "kind" | "shape" | "n" | "labels" | "dtype" | "counts"> & {
  units?: readonly string[];
  factors?: readonly StateFactor[];
  is_picture?: boolean;
  low?: readonly (number | null)[] | null;
  high?: readonly (number | null)[] | null;
  /**
   * The least value of a Discrete space, which the first label names, or of each number of a MultiDiscrete; 0 where it
   * is not told.
   */
  starts?: readonly number[] | null;
};

/** A space as far as its values can be counted. */
export type CountedSpace = Pick<DrawnSpace, "kind" | "counts" | "labels" | "starts">;

/** The value of each quantity that the number of a state stands for. */
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

/** What the action or component at a place is called; its number where nobody named it. */
export function nameOf({ labels, kind, starts }: DrawnSpace, place: number): string {
  return labels?.[place] || String(place + (kind === "Discrete" ? (starts?.[0] ?? 0) : 0));
}

/** One of the choices that make a MultiDiscrete action, and its values in words. */
export interface ActionChoice {
  name: string;
  values: readonly string[];
}

/** The choices of a MultiDiscrete; none of other spaces, and where it is not told how many values they have. */
export function actionChoices({ kind, counts, labels, starts }: CountedSpace): ActionChoice[] {
  if (kind !== "MultiDiscrete") return [];
  return (counts ?? []).map((count, place) => ({
    name: labels?.[place] || `component ${place}`,
    values: Array.from({ length: count }, (_, value) => String((starts?.[place] ?? 0) + value)),
  }));
}

/** Numbers of all values of all `choices`, as a list for each of them; null where they are not those. */
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

/** Whether bounds are told at all; without them a squashed action has no numbers of its own. */
export function hasBounds({ low, high }: DrawnSpace): boolean {
  return Boolean(low?.length && high?.length);
}

/** Whether an element is a picture, bytes in rows and columns: known by its hash, never sent as numbers. */
export function isPicture({ kind, shape, dtype, is_picture }: DrawnSpace): boolean {
  return is_picture ?? (kind === "Box" && (shape?.length ?? 0) > 1 && dtype === "uint8");
}
