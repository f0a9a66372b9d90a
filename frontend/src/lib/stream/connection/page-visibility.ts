import type { Timers } from "@/lib/time/timers";

/** A page that has been hidden for this many milliseconds counts as left. */
const LEFT_AFTER_MS = 30_000;

type VisiblePage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

interface VisibilityHandlers {
  onLeft: () => void;
  /** Called only after `onLeft`. */
  onReturned: () => void;
  /** Milliseconds after which the page counts as left. */
  leftAfter?: number;
}

/**
 * Reports when the page has been hidden for a while, and when it is visible again afterwards. Tabs that were
 * left open would otherwise hold all of the six connections that a browser allows per host.
 */
export function watchPageVisibility(
  page: VisiblePage,
  timers: Timers,
  { onLeft, onReturned, leftAfter = LEFT_AFTER_MS }: VisibilityHandlers,
): () => void {
  let timer: number | null = null;
  let left = false;
  const cancel = () => {
    if (timer !== null) timers.clear(timer);
    timer = null;
  };
  const onChange = () => {
    cancel();
    if (page.visibilityState === "hidden") {
      timer = timers.set(() => {
        left = true;
        onLeft();
      }, leftAfter);
    } else if (left) {
      left = false;
      onReturned();
    }
  };
  page.addEventListener("visibilitychange", onChange);
  return () => {
    cancel();
    page.removeEventListener("visibilitychange", onChange);
  };
}
