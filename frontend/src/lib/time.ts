"use client";

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { serviceAwaySince } from "./service";
import { Listeners } from "./store";

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

/** The timers that code uses, so that tests can pass their own. */
export interface Timers {
  set(callback: () => void, ms: number): number;
  clear(id: number): void;
}

export const browserTimers: Timers = {
  set: (callback, ms) => window.setTimeout(callback, ms),
  clear: (id) => window.clearTimeout(id),
};

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Milliseconds to wait before retry number `attempt`, from 0. It doubles each time; jitter keeps tabs from retrying together. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20));
  return Math.round(base * (0.75 + random() * 0.5));
}

/** The newest value that has not changed for `ms`; a value after a pause counts at once. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  const changedAt = useRef(-Infinity);
  // External system: a timer.
  useEffect(() => {
    const now = performance.now();
    const isAlone = now - changedAt.current >= ms;
    changedAt.current = now;
    const timer = setTimeout(() => setSettled(value), isAlone ? 0 : ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
