export { type EpisodeTrace } from "./episode-trace";
export { type Hand } from "./hand";
export { announceSession, useSessionOf } from "./live-sessions";
export { Lockstep } from "./lockstep";
export { SessionClient } from "./session-client";
export type { Moment } from "./session-options";
export { type SessionState } from "./session-state";
export { useHeldSession, usePageSeen } from "./use-watched";
export { handFor, playSession, watchSession } from "./watch-session";
