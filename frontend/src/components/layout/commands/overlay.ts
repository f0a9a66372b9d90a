import { createStore } from "@/lib/store";

/** An overlay of the shell; at most one is open. */
export type Overlay = "palette" | "shortcuts" | "settings" | "pages";

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
