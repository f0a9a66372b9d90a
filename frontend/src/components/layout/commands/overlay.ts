import { createStore } from "@/lib/store";

/** What the shell shows over the page; one at a time. */
export type Overlay = "palette" | "shortcuts" | "settings";

export const overlayStore = createStore<Overlay | null>(null);
let typed = "";

export function showOverlay(overlay: Overlay | null) {
  typed = "";
  overlayStore.set(overlay);
}

/** Keeps a key that was pressed after the palette was asked for and before it was there. */
export function typeAhead(key: string) {
  if (key.length === 1) typed += key;
}

export function typedAhead(): string {
  return typed;
}
