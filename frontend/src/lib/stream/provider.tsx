"use client";

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { apiBase } from "@/lib/api";
import { watchAttention } from "./attention";
import type { Source, Timers } from "./events";
import { StreamHub } from "./hub";
import { queryBridge } from "./query-bridge";

export const browserTimers: Timers = {
  set: (callback, ms) => window.setTimeout(callback, ms),
  clear: (id) => window.clearTimeout(id),
};

const HubContext = createContext<StreamHub | null>(null);

export function StreamProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [{ hub, bridge }] = useState(() => ({
    hub: new StreamHub({
      url: `${apiBase}/stream`,
      open: (url) => new EventSource(url) as Source,
      timers: browserTimers,
    }),
    bridge: queryBridge(client),
  }));

  // External system: the event stream, open as long as the app is.
  useEffect(() => {
    const unlisten = hub.onEvent(bridge);
    const online = () => hub.retryNow();
    const offline = () => hub.markDropped();
    const unwatch = watchAttention(document, browserTimers, {
      left: () => hub.pause(),
      back: () => hub.start(),
    });
    window.addEventListener("online", online);
    window.addEventListener("offline", offline);
    hub.start();
    return () => {
      hub.stop();
      unlisten();
      unwatch();
      window.removeEventListener("online", online);
      window.removeEventListener("offline", offline);
    };
  }, [hub, bridge]);

  return <HubContext value={hub}>{children}</HubContext>;
}

export function useHub(): StreamHub {
  const hub = useContext(HubContext);
  if (!hub) throw new Error("useHub needs a StreamProvider above it");
  return hub;
}
