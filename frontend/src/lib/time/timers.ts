/** The timers that code uses, so that tests can pass their own. */
export interface Timers {
  set(callback: () => void, ms: number): number;
  clear(id: number): void;
}

export const browserTimers: Timers = {
  set: (callback, ms) => window.setTimeout(callback, ms),
  clear: (id) => window.clearTimeout(id),
};
