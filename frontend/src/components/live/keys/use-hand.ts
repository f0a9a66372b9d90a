"use client";

import { useEffect, useMemo } from "react";
import { type Hand, handFor, type SessionClient } from "@/lib/session";
import { useStoreValue } from "@/lib/store";

/** Keyboard input for a session; null until the session has said which keys there are. */
export function useHand(client: SessionClient): Hand | null {
  const hello = useStoreValue(client.state, (state) => state.hello);
  const hand = useMemo(() => hello && handFor(client, hello), [client, hello]);
  // External system: animation frames, in which keys may still be moving a component.
  useEffect(() => () => hand?.letGo(), [hand]);
  return hand;
}
