"use client";

import { useSyncExternalStore } from "react";

const SECOND = 1000;
const precisions = { second: SECOND, minute: 60 * SECOND };

const listeners = new Set<() => void>();
let interval: number | undefined;

/** One clock for all: who shows minutes is not drawn anew by its seconds. */
function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    interval = window.setInterval(() => listeners.forEach((tell) => tell()), SECOND);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(interval);
  };
}

/** The time of day in milliseconds, to the last whole second or minute. */
export function useNow(precision: keyof typeof precisions): number {
  const unit = precisions[precision];
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / unit) * unit,
    () => 0,
  );
}
