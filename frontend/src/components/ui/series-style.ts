/** Colours that can be told apart. Beyond, series share a colour and differ by their dash. */
export const SERIES_COUNT = 10;

/** Lengths of dash and gap in CSS pixels; none is a whole line. */
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
  /** A CSS variable's name without the dashes: `series-3`. */
  color: string;
  dash: readonly number[];
}

/** Colour and dash of the nth series, from 0. Past ten the colours come again with the next dash. */
export function seriesStyle(index: number): SeriesStyle {
  const round = Math.floor(index / SERIES_COUNT);
  return {
    color: `series-${(index % SERIES_COUNT) + 1}`,
    dash: DASHES[(index + round) % SERIES_COUNT] ?? [],
  };
}
