import { apiLink } from "@/api/http";
import { createSession } from "@/api/sessions";
import type { CreateSession, SessionHello } from "@/api/types";
import { browserTimers } from "../time";
import type { AnimationFrames } from "./frame-presenter";
import { KeyInput } from "./key-input";
import { SessionClient } from "./session-client";
import type { SessionSocket } from "./session-options";

/** A session in which the newest policy of a run plays. */
export function watchSession(runId: string): SessionClient {
  return sessionOf({ run_id: runId, mode: "watch" });
}

/** A session in which a person plays, in a run's environment or in one without a run. It starts paused. */
export function playSession(what: Omit<CreateSession, "mode">): SessionClient {
  const client = sessionOf({ ...what, mode: "play" });
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
