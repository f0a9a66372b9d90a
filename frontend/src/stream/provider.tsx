"use client";

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { apiBase } from "@/api/http";
import { serviceAnswers } from "@/api/with-retry";
import { browserNotifications } from "@/lib/browser-notifications";
import { serviceAwaySince } from "@/lib/service";
import { browserTimers } from "@/lib/time";
import { useStore } from "@/lib/use-store";
import { EventStreamClient, openEventSource } from "./event-stream-client";
import type { ConnectionState } from "./events";
import { watchPageVisibility } from "./page-visibility";
import { queryBridge } from "./query-bridge";
import { connectHub, SharedStream } from "./shared-stream";
import { watchService } from "./watch-service";

const STREAM_URL = `${apiBase}/stream`;

const EventStreamContext = createContext<EventStreamClient | null>(null);

export function StreamProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const [{ stream, bridge }] = useState(() => ({
    stream: new EventStreamClient({
      url: STREAM_URL,
      open: new SharedStream({
        connect: (onFailure) => connectHub(STREAM_URL, onFailure),
        openOwn: openEventSource,
        timers: browserTimers,
      }).open,
      timers: browserTimers,
      since: Date.now(),
    }),
    bridge: queryBridge(queryClient),
  }));

  // External system: the event stream, which is open while the page is seen.
  useEffect(() => {
    const unsubscribe = stream.onEvent(bridge);
    const online = () => stream.retryNow();
    const offline = () => stream.markDropped();
    let isSeen = true;
    // A page that shows notifications while it is hidden has to receive them.
    const apply = () =>
      isSeen || browserNotifications.get() === "on" ? stream.resume() : stream.pause();
    const unwatch = watchPageVisibility(document, browserTimers, {
      onSeen: () => {
        isSeen = true;
        apply();
      },
      onLeft: () => {
        isSeen = false;
        apply();
      },
    });
    const unsubscribeNotifications = browserNotifications.subscribe(apply);
    // The page may be kept for the Back button, and then shown again as it was.
    const onHide = () => stream.pause();
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && apply();
    const unwatchService = watchService({
      state: stream.state,
      probe: serviceAnswers,
      timers: browserTimers,
      now: Date.now,
      away: serviceAwaySince,
    });
    window.addEventListener("online", online);
    window.addEventListener("offline", offline);
    window.addEventListener("pagehide", onHide);
    window.addEventListener("pageshow", onShow);
    return () => {
      stream.stop();
      unsubscribe();
      unwatch();
      unsubscribeNotifications();
      unwatchService();
      window.removeEventListener("pagehide", onHide);
      window.removeEventListener("pageshow", onShow);
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

export function useConnectionState(): ConnectionState {
  return useStore(useEventStream().state);
}
