"use client";

import { useCallback } from "react";
import { createStore } from "../store";
import { useStoreValue } from "../use-store";
import type { SessionClient } from "./session-client";

/** The sessions on this page by run id. */
const onPage = createStore<ReadonlyMap<string, SessionClient>>(new Map());

/** Makes a session available to other parts of the page. Returns a function that withdraws it. */
export function announceSession(runId: string, client: SessionClient): () => void {
  onPage.set(new Map(onPage.get()).set(runId, client));
  return () => {
    if (onPage.get().get(runId) !== client) return;
    const rest = new Map(onPage.get());
    rest.delete(runId);
    onPage.set(rest);
  };
}

/** The session on this page that plays a run; null if there is none. */
export function useSessionOf(runId: string): SessionClient | null {
  return useStoreValue(
    onPage,
    useCallback((sessions) => sessions.get(runId) ?? null, [runId]),
  );
}
