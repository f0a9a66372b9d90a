import type { Space, StateFactor } from "@/lib/api";

/**
 * A space as far as drawing needs it: a registry's or a session's. `units` and bounds are of each number; where they
 * are not told, numbers stand without a unit, and actions are drawn within −1 … 1.
 */
export type DrawnSpace = Pick<Space, "kind" | "shape" | "n" | "labels" | "dtype"> & {
  units?: readonly string[];
  factors?: readonly StateFactor[];
  is_picture?: boolean;
  low?: readonly (number | null)[] | null;
  high?: readonly (number | null)[] | null;
  /** The least action of a Discrete space, which the first label names; 0 where it is not told. */
  starts?: readonly number[] | null;
};

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

/** The place of a discrete action among those of its space. */
export function placeOf({ starts }: DrawnSpace, action: number): number {
  return action - (starts?.[0] ?? 0);
}

/** What the action or component at a place is called; its number where nobody named it. */
export function nameOf({ labels, kind, starts }: DrawnSpace, place: number): string {
  return labels?.[place] || String(place + (kind === "Discrete" ? (starts?.[0] ?? 0) : 0));
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
