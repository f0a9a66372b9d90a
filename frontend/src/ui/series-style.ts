/**
 * How many series colours there are: `--series-1` and so on in app/tokens.css. Further series repeat a colour
 * with another dash.
 */
export const SERIES_COUNT = 10;

/** Lengths of dash and gap in CSS pixels; an empty list is a solid line. */
const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [14, 4],
  [5, 3],
  [8, 3, 2, 3, 2, 3],
  [1, 4],
  [12, 3, 4, 3],
  [4, 2, 1, 2],
];

export interface SeriesStyle {
  /** Name of a CSS variable without the leading dashes, for instance `series-3`. */
  color: string;
  dash: readonly number[];
}

/** Colour and dash of series number `index`, from 0. After ten series the colours repeat with the next dash. */
export function seriesStyle(index: number): SeriesStyle {
  const round = Math.floor(index / SERIES_COUNT);
  return {
    color: `series-${(index % SERIES_COUNT) + 1}`,
    dash: DASHES[(index + round) % SERIES_COUNT] ?? [],
  };
}
