"use client";

import { createStore } from "@/lib/store";
import { useStoreValue } from "@/lib/use-store";
import type { Moment, SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";

const NOBODY = createStore<Moment | null>(null);
const NO_POLICY = createStore<Pick<SessionState, "policy">>({ policy: null });

/** The state of the agent in a session on this page, as its frame shows it; null without one. */
export function usePlayedState(session: SessionClient | null): number | null {
  return useStoreValue(session?.moment ?? NOBODY, (moment) => {
    const observation = moment?.record.observation;
    return typeof observation === "number" ? observation : null;
  });
}

/** The step of the policy that plays in a session on this page; null without one. */
export function usePlayedPolicy(session: SessionClient | null): number | null {
  return useStoreValue(session?.state ?? NO_POLICY, ({ policy }) => policy?.step ?? null);
}
