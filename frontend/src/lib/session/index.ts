export { type EpisodeTrace } from "./episode-trace";
export { type KeyInput } from "./key-input";
export { announceSession, useSessionOf } from "./live-sessions";
export { Lockstep } from "./lockstep";
export { SessionClient } from "./session-client";
export type { Moment } from "./session-options";
export { type SessionState } from "./session-state";
export { useHeldSession, usePageSeen } from "./use-watched";
export { keyInputFor, playSession, watchSession } from "./watch-session";
