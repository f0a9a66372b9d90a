"use client";

import { useEffect, useState } from "react";
import { watchPageVisibility } from "@/stream/page-visibility";
import { browserTimers } from "../time";
import type { SessionClient } from "./session-client";

/** Milliseconds that a page must be hidden before its session is ended. */
const HIDDEN_MS = 8_000;

/** Whether the page is visible, or was until a short while ago. */
export function usePageSeen(): boolean {
  const [seen, setSeen] = useState(
    () => typeof document === "undefined" || document.visibilityState !== "hidden",
  );
  useEffect(
    () =>
      watchPageVisibility(document, browserTimers, {
        onLeft: () => setSeen(false),
        onSeen: () => setSeen(true),
        leftAfter: HIDDEN_MS,
      }),
    [],
  );
  return seen;
}

/** Keeps a session while `wanted`, and ends it otherwise and when the page is left. */
export function useHeldSession(client: SessionClient, wanted: boolean) {
  // External system: the session at the service.
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
