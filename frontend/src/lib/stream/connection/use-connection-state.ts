"use client";

import { useStore } from "../../use-store";
import type { ConnectionState } from "./events";
import { useEventStream } from "./provider";

export function useConnectionState(): ConnectionState {
  return useStore(useEventStream().state);
}
