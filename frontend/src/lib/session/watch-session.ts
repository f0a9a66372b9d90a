import { apiLink, createSession } from "@/lib/api";
import { browserTimers } from "@/lib/stream";
import { SessionClient, type SessionSocket } from "./session-client";

/** A session in which the newest policy of a run plays, over the browser's own socket. */
export function watchSession(runId: string): SessionClient {
  return new SessionClient({
    create: async (signal) =>
      (await createSession({ run_id: runId, mode: "watch" }, signal)).socket,
    connect: (path) =>
      new WebSocket(socketUrl(apiLink(path), window.location.href)) as SessionSocket,
    decode: (data) => createImageBitmap(data),
    frames: {
      request: (callback) => requestAnimationFrame(callback),
      cancel: (id) => cancelAnimationFrame(id),
    },
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
