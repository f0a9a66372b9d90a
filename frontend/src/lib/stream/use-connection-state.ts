"use client";

import { useSyncExternalStore } from "react";
import type { ConnectionState } from "./events";
import { useHub } from "./provider";

export function useConnectionState(): ConnectionState {
  const hub = useHub();
  return useSyncExternalStore(hub.onState, hub.getState, () => "connecting");
}
