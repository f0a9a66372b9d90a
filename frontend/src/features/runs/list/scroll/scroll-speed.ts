/** Speed in pixels per millisecond (about fifty rows a second) above which rows cannot be read. */
const FAST = 2.2;

/** Events with a longer gap between them belong to different movements, so that a single jump is not fast. */
const APART_MS = 100;

/**
 * Returns a function that takes a scroll position (pixels) and its time (milliseconds) and returns whether
 * scrolling is fast.
 */
export function createScrollSpeedometer(): (place: number, at: number) => boolean {
  let last: { place: number; at: number } | null = null;
  return (place, at) => {
    const before = last;
    last = { place, at };
    if (!before) return false;
    const took = at - before.at;
    if (took <= 0 || took > APART_MS) return false;
    return Math.abs(place - before.place) / took > FAST;
  };
}
