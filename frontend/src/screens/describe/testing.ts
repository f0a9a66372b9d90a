import type { Limits } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { SessionClient } from "@/player/session/session-client";
import { FakeFrames, FakeSocket, helloOf } from "@/player/session/testing";

const bounds = (minimum: number, maximum: number) => ({ minimum, maximum, default: null });

/** The limits of the service that the page uses. */
export const LIMITS = {
  game_name: "^[a-z][a-z0-9_]{0,39}$",
  game_taps: bounds(0, 100),
  game_expression: bounds(1, 500),
  game_frame_skip: bounds(1, 60),
  game_search: bounds(-0xffff, 0xffff),
  tap_bytes: bounds(1, 4),
  tap_bit: bounds(0, 7),
} satisfies Partial<Limits>;

/** A live session in which a game is described, and its socket. */
export async function describingSession() {
  const socket = new FakeSocket("/x");
  const client = new SessionClient({
    create: async () => "/x",
    connect: () => socket,
    decode: async () => ({ width: 1, height: 1, close: () => {} }) as unknown as ImageBitmap,
    frames: new FakeFrames(),
    timers: new FakeTimers(),
    now: () => 0,
  });
  client.start();
  await new Promise((resolve) => setTimeout(resolve));
  socket.deliver(helloOf({ mode: "describe" }));
  return { client, socket };
}
