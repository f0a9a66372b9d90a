/** Rows to load before and after those in view, so that scrolling finds them loaded. */
const AHEAD = 30;

/** Numbers of the pages that contain rows `first` to `last` and AHEAD rows on either side, of `total` rows. */
export function pagesAround(first: number, last: number, total: number, size: number): number[] {
  const from = Math.max(0, Math.floor((first - AHEAD) / size));
  const to = Math.floor(Math.min(total - 1, last + AHEAD) / size);
  return pagesBetween(from, to);
}

/** Numbers of the pages that contain rows `first` to `last`. */
export function pagesOf(first: number, last: number, size: number): number[] {
  return pagesBetween(Math.floor(first / size), Math.floor(last / size));
}

function pagesBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
