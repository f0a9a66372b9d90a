"use client";

import { useSyncExternalStore } from "react";

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);
const never = () => () => undefined;

/** The name of the key that goes with letters on this keyboard: `⌘` or `Ctrl`. */
export function useModKey(): string {
  return useSyncExternalStore(never, isMac, () => false) ? "⌘" : "Ctrl";
}
