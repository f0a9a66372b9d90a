const FIRST = 500;
const LONGEST = 10_000;

/** Milliseconds before the given attempt (0 is the first), jittered so that tabs do not return together. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST, FIRST * 2 ** Math.min(attempt, 20));
  return Math.round(base * (0.75 + random() * 0.5));
}
