/** Writes to the address that wait for a pause, with their timers. */
const waiting = new Map<() => void, ReturnType<typeof setTimeout>>();

/**
 * Calls `write`, which changes the address, after a pause: browsers refuse an address that changes too often.
 *
 * @param ms The pause, in milliseconds.
 * @returns Takes it back.
 */
export function writeAfter(ms: number, write: () => void): () => void {
  const once = () => {
    forget();
    write();
  };
  const forget = () => {
    clearTimeout(waiting.get(once));
    waiting.delete(once);
  };
  waiting.set(once, setTimeout(once, ms));
  return forget;
}

/** Ends all pauses: before the page is left, as a write during a navigation would cancel it, and before other writes. */
export function writeAtOnce() {
  for (const once of waiting.keys()) once();
}
