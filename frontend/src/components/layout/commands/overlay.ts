"use client";

import { useSyncExternalStore } from "react";

/** What lies over the page at the shell's wish; one at a time. */
export type Overlay = "palette" | "shortcuts";

let current: Overlay | null = null;
let typed = "";
const listeners = new Set<() => void>();

export function showOverlay(overlay: Overlay | null) {
  current = overlay;
  typed = "";
  for (const listener of listeners) listener();
}

export const shownOverlay = () => current;

/** Keeps what is typed between the asking for the palette and its being there. */
export function typeAhead(key: string) {
  if (key.length === 1) typed += key;
}

export function typedAhead(): string {
  return typed;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, shownOverlay, () => null);
}
