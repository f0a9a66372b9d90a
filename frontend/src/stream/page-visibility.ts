import type { Timers } from "@/lib/time";

/** A page that has been hidden for this many milliseconds counts as left. */
const LEFT_AFTER_MS = 30_000;

type VisiblePage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

interface VisibilityHandlers {
  onSeen: () => void;
  onLeft: () => void;
  /** Milliseconds after which the page counts as left. */
  leftAfter?: number;
}

/**
 * Reports whether the page is visible: at once, after it has been hidden for a while, and when it is visible again
 * after that. A page that is hidden when this is called was opened in the background, and counts as left at once.
 * Otherwise, hidden tabs would occupy all six connections that a browser allows per host.
 */
export function watchPageVisibility(
  page: VisiblePage,
  timers: Timers,
  { onSeen, onLeft, leftAfter = LEFT_AFTER_MS }: VisibilityHandlers,
): () => void {
  let timer: number | null = null;
  let left = page.visibilityState === "hidden";
  const cancel = () => {
    if (timer !== null) timers.clear(timer);
    timer = null;
  };
  const onChange = () => {
    cancel();
    if (page.visibilityState === "hidden") {
      if (!left) {
        timer = timers.set(() => {
          left = true;
          onLeft();
        }, leftAfter);
      }
    } else if (left) {
      left = false;
      onSeen();
    }
  };
  page.addEventListener("visibilitychange", onChange);
  if (left) onLeft();
  else onSeen();
  return () => {
    cancel();
    page.removeEventListener("visibilitychange", onChange);
  };
}
