"use client";

import { type RefObject, useEffect, useState } from "react";
import { browserTimers, watchPageVisibility } from "@/lib/stream";
import type { SessionClient } from "./session-client";

/** A page that is hidden for so many milliseconds gives its session back: nobody should play for nobody. */
const HIDDEN_MS = 8_000;

/** Whether the page is seen; it still counts as seen for a while after it was hidden. */
export function usePageSeen(): boolean {
  const [seen, setSeen] = useState(true);
  useEffect(
    () =>
      watchPageVisibility(document, browserTimers, {
        onLeft: () => setSeen(false),
        onReturned: () => setSeen(true),
        leftAfter: HIDDEN_MS,
      }),
    [],
  );
  return seen;
}

/** Whether at least a quarter of an element is within the window. */
export function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [inView, setInView] = useState(false);
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      (entries) => setInView((entries.at(-1)?.intersectionRatio ?? 0) >= 0.25),
      { threshold: [0, 0.25] },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return inView;
}

/** Holds the session while it is wanted, and gives it back when it is not, or the page is left. */
export function useHeldSession(client: SessionClient, wanted: boolean) {
  // External system: the service, which plays as long as the session is held.
  useEffect(() => {
    if (!wanted) return;
    client.start();
    window.addEventListener("online", client.retryNow);
    return () => {
      window.removeEventListener("online", client.retryNow);
      client.stop();
    };
  }, [client, wanted]);
}
