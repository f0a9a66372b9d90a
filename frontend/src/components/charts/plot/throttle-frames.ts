export interface FrameClock {
  now(): number;
  /** Calls back in the first frame that comes `ms` or more from now. Returns a function that cancels it. */
  frameAfter(ms: number, callback: () => void): () => void;
}

export interface Throttled {
  (): void;
  cancel(): void;
}

/**
 * Turns many requests into few calls: the first is served at once, later ones at most every `interval` ms. The last
 * request is always served.
 */
export function throttleFrames(call: () => void, interval: number, clock: FrameClock): Throttled {
  let last = -Infinity;
  let cancel: (() => void) | null = null;
  const request = () => {
    if (cancel !== null) return;
    cancel = clock.frameAfter(Math.max(0, last + interval - clock.now()), () => {
      cancel = null;
      last = clock.now();
      call();
    });
  };
  request.cancel = () => {
    cancel?.();
    cancel = null;
  };
  return request;
}
