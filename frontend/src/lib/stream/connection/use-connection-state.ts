"use client";

import { useSyncExternalStore } from "react";
import type { ConnectionState } from "./events";
import { useEventStream } from "./provider";

export function useConnectionState(): ConnectionState {
  const client = useEventStream();
  return useSyncExternalStore(client.onState, client.getState, () => "connecting");
}
