import { apiLink, type CreateSession, createSession, type SessionHello } from "@/lib/api";
import { browserTimers } from "@/lib/stream";
import type { AnimationFrames } from "./frame-presenter";
import { Hand } from "./hand";
import { SessionClient, type SessionSocket } from "./session-client";

/** A session in which the newest policy of a run plays. */
export function watchSession(runId: string): SessionClient {
  return sessionOf({ run_id: runId, mode: "watch" });
}

/** A session in which a person plays, in the environment of a run or in one without a run. It waits to be begun. */
export function playSession(what: Omit<CreateSession, "mode">): SessionClient {
  const client = sessionOf({ ...what, mode: "play" });
  client.pause();
  return client;
}

/** The keys of a person for a session that has said hello. */
export function handFor(client: SessionClient, hello: SessionHello): Hand {
  return new Hand({
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

/** Over the browser's own socket. */
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

/** The address of a socket at `path`, seen from the page at `here`. */
export function socketUrl(path: string, here: string): string {
  const url = new URL(path, here);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
