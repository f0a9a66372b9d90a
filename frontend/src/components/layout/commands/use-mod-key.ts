"use client";

import { useSyncExternalStore } from "react";

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);
const never = () => () => undefined;

/** Name of the modifier key for shortcuts on this platform: `⌘` or `Ctrl`. */
export function useModKey(): string {
  return useSyncExternalStore(never, isMac, () => false) ? "⌘" : "Ctrl";
}
