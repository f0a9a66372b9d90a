/** Speed in pixels a millisecond (about fifty rows a second) above which nobody can read. */
const FAST = 2.2;

/** Events further apart than this belong to different movements: a single jump is not fast. */
const APART_MS = 100;

/** Tells from where the page is, and when (milliseconds), whether it moves faster than one can read. */
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
