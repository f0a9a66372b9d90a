/** What is drawn of very many numbers: the greatest, and what the rest amount to. */

/** With more rows than this, only some are drawn. */
export const MOST_ROWS = 24;

/** So many are drawn of more. */
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
export function placeOfMost(values: readonly number[]): number {
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
