import type { Actor, ApiError, SessionHello } from "@/lib/api";
import type { Phase } from "./session-machine";

export interface SessionState {
  phase: Phase;
  /** What is played; null until the session has said so. */
  hello: SessionHello | null;
  playing: boolean;
  /** Steps a second. */
  fps: number;
  /** At whose hands the controls are; null until the session has said so. */
  actor: Actor | null;
  greedy: boolean;
  /** Of the episode that is played. */
  seed: number | null;
  /** Environment steps that the policy was trained for, and since when (milliseconds) it plays. */
  policy: { step: number; since: number } | null;
  /** Why the service gives no session. */
  refusal: ApiError | null;
  /** Why the session is over. */
  cause: string | null;
  /** What was said of the last command that was not followed. */
  complaint: string | null;
}

export const AT_REST: SessionState = {
  ...{ phase: "resting", hello: null, playing: true, fps: 0, actor: null, greedy: true },
  ...{ seed: null, policy: null, refusal: null, cause: null, complaint: null },
};

/** What somebody chose that holds for the session that follows a lost one, too. */
export type Chosen = "greedy" | "rate" | "pause" | "actor";
