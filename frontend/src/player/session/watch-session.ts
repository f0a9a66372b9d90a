"use client";

import { useCallback, useEffect, useState } from "react";
import { apiLink } from "@/api/http";
import { createSession } from "@/api/sessions";
import type { CreateSession, SessionHello } from "@/api/types";
import type { AgentStart } from "@/lib/agent-view";
import { createStore } from "@/lib/store";
import { browserTimers } from "@/lib/time";
import { useStoreValue } from "@/lib/use-store";
import { watchPageVisibility } from "@/stream/page-visibility";
import type { AnimationFrames } from "./frame-presenter";
import { KeyInput } from "./key-input";
import { SessionClient, type SessionSocket } from "./session-client";

/** A session in which the newest policy of a run plays, or with `start` another one, whose episodes begin in a cell. */
export function watchSession(runId: string, start: AgentStart | null = null): SessionClient {
  const from = start && { cell: start.cell, checkpoint_step: start.step };
  return sessionOf({ run_id: runId, mode: "watch", ...from });
}

/** A session in which a person plays, in a run's environment or in one without a run. It starts paused. */
export function playSession(what: Omit<CreateSession, "mode">): SessionClient {
  const client = sessionOf({ ...what, mode: "play" });
  client.pause();
  return client;
}

/** A session in which a person plays a ROM to describe it. It starts paused. */
export function describeSession(rom: string): SessionClient {
  const client = sessionOf({ rom, mode: "describe" });
  client.pause();
  return client;
}

/** Keyboard input for a session that has sent its hello message. */
export function keyInputFor(client: SessionClient, hello: SessionHello): KeyInput {
  return new KeyInput({
    controls: hello.controls,
    counted: hello.action_space.kind === "Discrete",
    act: (value) => client.send({ type: "action", value }),
    pace: () => client.state.get().fps / hello.fps,
    frames: browserFrames,
    now: () => performance.now(),
  });
}

const browserFrames: AnimationFrames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (id) => cancelAnimationFrame(id),
};

/** A client over the browser's WebSocket. */
function sessionOf(wanted: CreateSession): SessionClient {
  return new SessionClient({
    create: async (signal) => (await createSession(wanted, signal)).socket,
    connect: (path) =>
      new WebSocket(socketUrl(apiLink(path), window.location.href)) as SessionSocket,
    decode: (data) => createImageBitmap(data),
    frames: browserFrames,
    timers: browserTimers,
    now: () => performance.now(),
  });
}

/** The WebSocket URL of `path` on the host of the page `here`. */
export function socketUrl(path: string, here: string): string {
  const url = new URL(path, here);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

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

/**
 * Keeps a session from when the page is first visible until it is left, for a state that only the session has. It is
 * paused while the page is hidden.
 */
export function useSessionKeptWhileHidden(client: SessionClient) {
  const seen = usePageSeen();
  const [begun, setBegun] = useState(seen);
  if (seen && !begun) setBegun(true);
  useHeldSession(client, begun);
  // External system: the session at the service.
  useEffect(() => {
    if (!seen) client.pause();
  }, [client, seen]);
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
