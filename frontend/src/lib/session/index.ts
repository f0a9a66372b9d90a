export { type EpisodeTrace } from "./episode-trace";
export { announceSession, useSessionOf } from "./live-sessions";
export { Lockstep } from "./lockstep";
export { SessionClient, type Moment, type SessionState } from "./session-client";
export { useHeldSession, useInView, usePageSeen } from "./use-watched";
export { watchSession } from "./watch-session";
