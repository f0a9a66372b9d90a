import type { Timers } from "./events";

const LEFT_AFTER = 30_000;

interface Watched {
  readonly visibilityState: DocumentVisibilityState;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

/**
 * Tells when nobody has looked at the page for a while, and when somebody does again. Tabs left open
 * would otherwise hold all of the six connections that a browser allows per host.
 */
export function watchAttention(
  page: Watched,
  timers: Timers,
  { left, back }: { left: () => void; back: () => void },
): () => void {
  let timer: number | null = null;
  let away = false;
  const cancel = () => {
    if (timer !== null) timers.clear(timer);
    timer = null;
  };
  const changed = () => {
    cancel();
    if (page.visibilityState === "hidden") {
      timer = timers.set(() => {
        away = true;
        left();
      }, LEFT_AFTER);
    } else if (away) {
      away = false;
      back();
    }
  };
  page.addEventListener("visibilitychange", changed);
  return () => {
    cancel();
    page.removeEventListener("visibilitychange", changed);
  };
}
