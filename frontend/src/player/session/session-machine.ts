import type { ApiError } from "@/api/http";
import type { Actor, SessionHello } from "@/api/types";

/**
 * What a session is doing, as far as the page knows:
 *
 * - `resting`: nobody looks; there is none.
 * - `asking`: the service was asked for one.
 * - `opening`: it was given one, and the socket has not said hello yet.
 * - `live`: messages come.
 * - `waiting`: the socket was lost, or the service does not answer. It is tried again when the backoff is over.
 * - `refused`: the service gives none, and says why. Only somebody who asks again changes that.
 * - `ended`: the session is over, and has said why. It is not begun again by itself.
 */
export type Phase = "resting" | "asking" | "opening" | "live" | "waiting" | "refused" | "ended";

export interface Connection {
  phase: Phase;
  /** Whether the service created a session that may still exist. */
  known: boolean;
  /** Number of failures in a row. */
  attempt: number;
}

export type ConnectionEvent =
  /** A part of the page wants the session. */
  | "start"
  /** No part of the page wants it any more. */
  | "stop"
  /** The user asks for a new session after a refusal or an end. */
  | "again"
  | "created"
  | "refused"
  | "unreachable"
  /** The session's first message came. */
  | "greeted"
  /** The session's last message came. */
  | "ended"
  /** The socket closed without a last message. */
  | "closed"
  | "timerDue"
  | "networkBack";

/** What to do after a transition, in this order. */
export type Effect =
  /** Request a session from the service. */
  | { kind: "ask" }
  /** Open the socket of the session. */
  | { kind: "connect" }
  /** Close the socket, and drop messages that are under way. */
  | { kind: "close" }
  | { kind: "schedule"; attempt: number };

export interface Transition {
  next: Connection;
  effects: readonly Effect[];
}

export const INITIAL: Connection = { phase: "resting", known: false, attempt: 0 };

const ASK: readonly Effect[] = [{ kind: "close" }, { kind: "ask" }];
const CONNECT: readonly Effect[] = [{ kind: "connect" }];
const CLOSE: readonly Effect[] = [{ kind: "close" }];

/** The state after `event`, and what to do. Events without a meaning in a state change nothing. */
export function transition(now: Connection, event: ConnectionEvent): Transition {
  const { phase } = now;
  switch (event) {
    case "start":
      return phase === "resting" ? asked() : to(now, {});
    case "again":
      return phase === "refused" || phase === "ended" ? asked() : to(now, {});
    case "stop":
      return phase === "resting" ? to(now, {}) : { next: INITIAL, effects: CLOSE };
    case "created":
      return phase === "asking" ? to(now, { phase: "opening", known: true }, CONNECT) : to(now, {});
    case "refused":
      return phase === "asking" ? to(now, { phase: "refused" }, CLOSE) : to(now, {});
    case "unreachable":
      return phase === "asking" ? later(now, false) : to(now, {});
    case "greeted":
      return phase === "opening" ? to(now, { phase: "live", attempt: 0 }) : to(now, {});
    case "ended":
      return phase === "opening" || phase === "live"
        ? to(now, { phase: "ended", known: false }, CLOSE)
        : to(now, {});
    case "closed":
      // A session that could not be reached again is gone, so the next attempt requests a new one.
      if (phase === "live") return later(now, true);
      return phase === "opening" ? later(now, false) : to(now, {});
    case "timerDue":
      return phase === "waiting" ? retried(now, now.attempt) : to(now, {});
    case "networkBack":
      return phase === "waiting" ? retried(now, 0) : to(now, {});
  }
}

function asked(): Transition {
  return { next: { phase: "asking", known: false, attempt: 0 }, effects: ASK };
}

function later(now: Connection, known: boolean): Transition {
  const { attempt } = now;
  return to(now, { phase: "waiting", known, attempt: attempt + 1 }, [
    { kind: "close" },
    { kind: "schedule", attempt },
  ]);
}

function retried(now: Connection, attempt: number): Transition {
  if (now.known) return to(now, { phase: "opening", attempt }, CONNECT);
  return to(now, { phase: "asking", attempt }, ASK);
}

function to(
  now: Connection,
  change: Partial<Connection>,
  effects: readonly Effect[] = [],
): Transition {
  return { next: { ...now, ...change }, effects };
}

export interface SessionState {
  phase: Phase;
  /** The session's first message; null until it is received. */
  hello: SessionHello | null;
  playing: boolean;
  /** Steps per second. */
  fps: number;
  /** Who acts; null until the session has said so. */
  actor: Actor | null;
  greedy: boolean;
  /** Seed of the current episode. */
  seed: number | null;
  /** The policy that plays: the environment steps it was trained for, and since when (milliseconds) it plays. */
  policy: { step: number; since: number } | null;
  /** Why the service refused a session. */
  refusal: ApiError | null;
  /** Why the session ended. */
  cause: string | null;
  /** Why the last message was rejected. */
  complaint: string | null;
  /** How many sessions were lost with the connection and replaced by a new one, which starts from the beginning. */
  replacements: number;
  /** The step after which two futures play side by side; null while only one plays. */
  partedAt: number | null;
  /** The first step at which they differ; null while there is none. */
  differsAt: number | null;
  /** The run that stores the played episodes, and their number; null before the first. */
  recorded: { runId: string; episodes: number } | null;
}

export const AT_REST: SessionState = {
  ...{ phase: "resting", hello: null, playing: true, fps: 0, actor: null, greedy: true },
  ...{ seed: null, policy: null, refusal: null, cause: null, complaint: null, replacements: 0 },
  ...{ partedAt: null, differsAt: null, recorded: null },
};

/** The user's choices, which are sent again to the session that replaces a lost one. */
export type Chosen = "greedy" | "rate" | "pause" | "actor" | "seen" | "slice" | "game values";
