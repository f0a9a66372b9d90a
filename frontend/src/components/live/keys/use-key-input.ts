"use client";

import { useEffect, useMemo } from "react";
import type { KeyInput } from "@/lib/session/key-input";
import type { SessionClient } from "@/lib/session/session-client";
import { keyInputFor } from "@/lib/session/watch-session";
import { useStoreValue } from "@/lib/use-store";

/** Keyboard input for a session; null until the session has said which keys there are. */
export function useKeyInput(client: SessionClient): KeyInput | null {
  const hello = useStoreValue(client.state, (state) => state.hello);
  const keyInput = useMemo(() => hello && keyInputFor(client, hello), [client, hello]);
  // External system: animation frames, in which keys may still be moving a component.
  useEffect(() => () => keyInput?.letGo(), [keyInput]);
  return keyInput;
}
