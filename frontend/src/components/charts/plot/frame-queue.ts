import type { FrameClock } from "./throttle";

interface Screen {
  now(): number;
  /** Calls back before the next frame is drawn. */
  nextFrame(callback: () => void): void;
  timeout(ms: number, callback: () => void): () => void;
}

/** Milliseconds of the 16 between two frames that charts may use. */
const BUDGET = 10;

/**
 * A clock whose frames are shared: what is due is drawn one after the other until the budget is spent, the
 * rest in the next frame. Twenty charts that get data at once never hold up a click.
 */
export function frameQueue(screen: Screen, budget = BUDGET): FrameClock {
  let due: (() => void)[] = [];
  let asked = false;

  const ask = () => {
    if (asked || due.length === 0) return;
    asked = true;
    screen.nextFrame(() => {
      asked = false;
      const started = screen.now();
      do due.shift()?.();
      while (due.length > 0 && screen.now() - started < budget);
      ask();
    });
  };

  return {
    now: screen.now,
    frameAfter(ms, callback) {
      const cancelTimeout = screen.timeout(ms, () => {
        due.push(callback);
        ask();
      });
      return () => {
        cancelTimeout();
        due = due.filter((other) => other !== callback);
      };
    },
  };
}

export const browserFrameClock = frameQueue({
  now: () => performance.now(),
  nextFrame: (callback) => void requestAnimationFrame(callback),
  timeout: (ms, callback) => {
    const timer = window.setTimeout(callback, ms);
    return () => window.clearTimeout(timer);
  },
});
