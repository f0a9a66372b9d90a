"use client";

import { useSyncExternalStore } from "react";
import { createStore } from "@/lib/store";

/** An overlay of the shell; at most one is open. */
export type Overlay = "palette" | "shortcuts" | "pages";

export const overlayStore = createStore<Overlay | null>(null);
let typed = "";

export function showOverlay(overlay: Overlay | null) {
  typed = "";
  overlayStore.set(overlay);
}

/** Keeps keys that are typed after the palette was requested and before it is loaded. */
export function typeAhead(key: string) {
  if (key.length === 1) typed += key;
}

export function typedAhead(): string {
  return typed;
}

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);
const never = () => () => undefined;

/** Name of the modifier key for shortcuts on this platform: `⌘` or `Ctrl`. */
export function useModKey(): string {
  return useSyncExternalStore(never, isMac, () => false) ? "⌘" : "Ctrl";
}
