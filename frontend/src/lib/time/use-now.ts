"use client";

import { useSyncExternalStore } from "react";
import { serviceAwaySince } from "@/lib/service";
import { Listeners } from "@/lib/store";

const SECOND_MS = 1000;
const precisions = { second: SECOND_MS, minute: 60 * SECOND_MS };

/** One interval for the whole app. When the service goes away or comes back, all clocks show it at once. */
const ticks = new Listeners(() => {
  const interval = window.setInterval(() => ticks.notify(), SECOND_MS);
  const unsubscribe = serviceAwaySince.subscribe(() => ticks.notify());
  return () => {
    window.clearInterval(interval);
    unsubscribe();
  };
});

/**
 * The time of day in milliseconds, rounded down to the second or minute. A component renders again only when
 * that changes: one that shows minutes does so once a minute. While the service does not answer, it stands still:
 * what would be counted (time left, time taken) is not known then.
 */
export function useNow(precision: keyof typeof precisions): number {
  const unit = precisions[precision];
  return useSyncExternalStore(
    ticks.subscribe,
    () => Math.floor((serviceAwaySince.get() ?? Date.now()) / unit) * unit,
    () => 0,
  );
}
