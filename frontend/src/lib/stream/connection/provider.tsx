"use client";

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { apiBase, serviceAnswers } from "@/lib/api";
import { browserNotifications } from "@/lib/notifications";
import { serviceAwaySince } from "@/lib/service";
import { browserTimers } from "@/lib/time/timers";
import { queryBridge } from "../query-bridge";
import type { Source } from "./events";
import { EventStreamClient } from "./event-stream-client";
import { watchPageVisibility } from "./page-visibility";
import { watchService } from "./watch-service";

const EventStreamContext = createContext<EventStreamClient | null>(null);

export function StreamProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const [{ stream, bridge }] = useState(() => ({
    stream: new EventStreamClient({
      url: `${apiBase}/stream`,
      open: (url) => new EventSource(url) as Source,
      timers: browserTimers,
      since: Date.now(),
    }),
    bridge: queryBridge(queryClient),
  }));

  // External system: the event stream, which stays open as long as the app does.
  useEffect(() => {
    const unsubscribe = stream.onEvent(bridge);
    const online = () => stream.retryNow();
    const offline = () => stream.markDropped();
    const unwatch = watchPageVisibility(document, browserTimers, {
      // A page that is to show notifications while it is hidden has to hear of them.
      onLeft: () => browserNotifications.get() === "on" || stream.pause(),
      onReturned: () => stream.start(),
    });
    const unwatchService = watchService({
      state: stream.state,
      probe: serviceAnswers,
      timers: browserTimers,
      now: Date.now,
      away: serviceAwaySince,
    });
    window.addEventListener("online", online);
    window.addEventListener("offline", offline);
    stream.start();
    return () => {
      stream.stop();
      unsubscribe();
      unwatch();
      unwatchService();
      window.removeEventListener("online", online);
      window.removeEventListener("offline", offline);
    };
  }, [stream, bridge]);

  return <EventStreamContext value={stream}>{children}</EventStreamContext>;
}

export function useEventStream(): EventStreamClient {
  const stream = useContext(EventStreamContext);
  if (!stream) throw new Error("useEventStream needs a StreamProvider above it");
  return stream;
}
