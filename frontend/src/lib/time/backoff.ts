const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Milliseconds to wait before retry number `attempt`, from 0. It doubles each time; jitter keeps tabs from retrying together. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20));
  return Math.round(base * (0.75 + random() * 0.5));
}
