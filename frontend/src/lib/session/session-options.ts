import type { Timers } from "../time";
import type { EpisodeTrace } from "./episode-trace";
import type { AnimationFrames, Picture, Shown } from "./frame-presenter";

/** The part of the browser's WebSocket that the client needs. Tests pass their own. */
export interface SessionSocket {
  onmessage: ((event: MessageEvent<string | Blob>) => void) | null;
  onclose: (() => void) | null;
  send(data: string): void;
  close(): void;
}

export interface SessionClientOptions<P extends Picture> {
  /** Requests a session. Resolves to the path of its socket; rejects with an `ApiError`. */
  create: (signal: AbortSignal) => Promise<string>;
  connect: (path: string) => SessionSocket;
  decode: (data: Blob) => Promise<P>;
  frames: AnimationFrames;
  timers: Timers;
  now: () => number;
  random?: () => number;
}

/** What is on the screen, with its episode. A new object for every frame. */
export interface Moment<P extends Picture = ImageBitmap> extends Shown<P> {
  trace: EpisodeTrace;
  /** Milliseconds, by the same clock as the policy's `since`. */
  shownAt: number;
}
