/** What waits to be written into the address, in order, with its timers. */
const waiting = new Map<() => void, ReturnType<typeof setTimeout>>();

/**
 * Calls `write`, which changes the address, once nothing was asked for `ms` milliseconds: browsers refuse an address
 * that changes with each key or pixel. It is called sooner where `writeAtOnce` is, and not at all once another page is
 * there. Whoever asks again, or goes away, takes it back first.
 *
 * @returns Takes it back.
 */
export function writeAfter(ms: number, write: () => void): () => void {
  const page = openPage();
  const writeHere = () => {
    if (openPage() === page) write();
  };
  waiting.set(writeHere, setTimeout(writeAtOnce, ms));
  return () => {
    clearTimeout(waiting.get(writeHere));
    waiting.delete(writeHere);
  };
}

/** What the address leads to, whatever is chosen there: Back and Forward change it before that page is shown. */
function openPage(): string {
  const { pathname, search } = window.location;
  return `${pathname} ${new URLSearchParams(search).get("id")}`;
}

/** Ends all pauses: before the page is left, as a write during a navigation would cancel it, and before other writes. */
export function writeAtOnce() {
  const due = [...waiting];
  waiting.clear();
  for (const [write, timer] of due) {
    clearTimeout(timer);
    write();
  }
}
