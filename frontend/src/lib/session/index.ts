export { EpisodeTrace } from "./episode-trace";
export { SessionClient, type Moment, type SessionState } from "./session-client";
