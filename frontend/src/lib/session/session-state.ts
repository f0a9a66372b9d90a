import type { ApiError } from "@/api/http";
import type { Actor, SessionHello } from "@/api/types";
import type { Phase } from "./session-machine";

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
  /** The step after which two futures play side by side; null while there is one alone. */
  partedAt: number | null;
  /** The first step at which they differ; null while there is none. */
  differsAt: number | null;
  /** The run that keeps what is played by hand, and how many of its episodes; null before the first. */
  recorded: { runId: string; episodes: number } | null;
}

export const AT_REST: SessionState = {
  ...{ phase: "resting", hello: null, playing: true, fps: 0, actor: null, greedy: true },
  ...{ seed: null, policy: null, refusal: null, cause: null, complaint: null },
  ...{ partedAt: null, differsAt: null, recorded: null },
};

/** The user's choices, which are sent again to the session that replaces a lost one. */
export type Chosen = "greedy" | "rate" | "pause" | "actor" | "seen" | "slice";
