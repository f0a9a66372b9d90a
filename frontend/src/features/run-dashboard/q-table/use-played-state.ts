"use client";

import type { Moment, SessionClient } from "@/lib/session";
import { createStore, useStoreValue } from "@/lib/store";

const NOBODY = createStore<Moment | null>(null);

/** The state of the agent in a session on this page, as its frame shows it; null without one. */
export function usePlayedState(session: SessionClient | null): number | null {
  return useStoreValue(session?.moment ?? NOBODY, (moment) => {
    const observation = moment?.record.observation;
    return typeof observation === "number" ? observation : null;
  });
}
