"use client";

import { useSyncExternalStore } from "react";

/** What lies over the page at the shell's wish; one at a time. */
export type Overlay = "palette" | "shortcuts";

let current: Overlay | null = null;
const listeners = new Set<() => void>();

export function showOverlay(overlay: Overlay | null) {
  current = overlay;
  for (const listener of listeners) listener();
}

export const shownOverlay = () => current;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, shownOverlay, () => null);
}
