"use client";

import { useSyncExternalStore } from "react";
import { serviceAwaySince } from "../service/service-away";
import { Listeners } from "../store/listeners";

const SECOND_MS = 1000;
const precisions = { second: SECOND_MS, minute: 60 * SECOND_MS };

/** One interval for the whole app, so that all clocks stop and start together with the service. */
const ticks = new Listeners(() => {
  const interval = window.setInterval(() => ticks.notify(), SECOND_MS);
  const unsubscribe = serviceAwaySince.subscribe(() => ticks.notify());
  return () => {
    window.clearInterval(interval);
    unsubscribe();
  };
});

/**
 * The current time in milliseconds, rounded down to the second or the minute; the component renders again
 * only when that changes. It stands still while the service does not respond, since elapsed and remaining
 * times are unknown then.
 */
export function useNow(precision: keyof typeof precisions): number {
  const unit = precisions[precision];
  return useSyncExternalStore(
    ticks.subscribe,
    () => Math.floor((serviceAwaySince.get() ?? Date.now()) / unit) * unit,
    () => 0,
  );
}
