import type { EndEvent, Evaluation, Notification, Run } from "@/api/types";

/** Events for the whole app. Metric rows go only to the followers of their run. */
export type StreamEvent =
  | { kind: "status"; run: Run }
  | { kind: "evaluation"; evaluation: Evaluation }
  | { kind: "experiment"; id: string }
  /** Each notification once, even if the connection was lost when it was sent. */
  | { kind: "notification"; notification: Notification }
  | { kind: "end"; end: EndEvent }
  /** The stream is open for the first time. */
  | { kind: "opened" }
  | { kind: "reconnected" }
  /** The stream was reopened without a loss, but events of runs that are not followed may have been missed. */
  | { kind: "reopened" }
  /** The service refused the stream. `cursors`: repeatedly, so that the cursors may be the reason. */
  | { kind: "refused"; cursors: boolean };

/** `paused`: the page is hidden, and has no connection. */
export type ConnectionState = "connecting" | "live" | "reconnecting" | "paused";

/** Messages from a source: an event of the service, or `reopened` from a source that reconnects automatically. */
export interface SourceMessage {
  type: string;
  data: unknown;
  /** The stream's cursor after it. */
  id: string;
}

/** A connection to the event stream, as the browser's EventSource is one. Tests pass their own. */
export interface Source {
  readonly readyState: number;
  onopen: (() => void) | null;
  onerror: (() => void) | null;
  onmessage: ((message: SourceMessage) => void) | null;
  close(): void;
}

export const CONNECTING = 0;
export const OPEN = 1;
export const CLOSED = 2;
