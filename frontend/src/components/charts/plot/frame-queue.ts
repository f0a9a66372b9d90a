import type { FrameClock } from "./throttle-frames";

interface Screen {
  now(): number;
  /** Calls back before the next frame is drawn. */
  nextFrame(callback: () => void): void;
  timeout(ms: number, callback: () => void): () => void;
}

/** Milliseconds of a 16 ms frame that charts may use. */
const BUDGET = 10;

/**
 * A frame clock for all charts: callbacks that are due run one after the other until the budget is spent, and
 * the rest in the next frame, so that twenty charts with new data do not delay a click.
 */
function frameQueue(screen: Screen, budget = BUDGET): FrameClock {
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
