import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { CreateSession } from "./types";

/** The active sessions, oldest first. */
export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: ({ signal }) => unwrap(http.GET("/sessions", { signal })),
});

/** Creates a session. Open its socket soon, since a session without a client ends. */
export function createSession(body: CreateSession, signal?: AbortSignal) {
  return unwrap(http.POST("/sessions", { body, signal }));
}

export function endSession(id: string) {
  return unwrap(http.DELETE("/sessions/{session_id}", { params: { path: { session_id: id } } }));
}
