"use client";

import { useSyncExternalStore } from "react";

const TICK = 1000;

function subscribe(tick: () => void) {
  const id = window.setInterval(tick, TICK);
  return () => window.clearInterval(id);
}

function idle() {
  return () => {};
}

const wholeSecond = () => Math.floor(Date.now() / TICK) * TICK;

/** The time of day in milliseconds, to the second; it stands still unless `ticking`. */
export function useNow(ticking = true): number {
  return useSyncExternalStore(ticking ? subscribe : idle, wholeSecond, () => 0);
}
