"use client";

import { useEffect, useMemo } from "react";
import { type KeyInput, keyInputFor, type SessionClient } from "@/lib/session";
import { useStoreValue } from "@/lib/store";

/** Keyboard input for a session; null until the session has said which keys there are. */
export function useKeyInput(client: SessionClient): KeyInput | null {
  const hello = useStoreValue(client.state, (state) => state.hello);
  const keyInput = useMemo(() => hello && keyInputFor(client, hello), [client, hello]);
  // External system: animation frames, in which keys may still be moving a component.
  useEffect(() => () => keyInput?.letGo(), [keyInput]);
  return keyInput;
}
