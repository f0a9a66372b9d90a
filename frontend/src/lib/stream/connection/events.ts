import type { EndEvent, Evaluation, Notification, Run } from "@/lib/api";

/** Events for the whole app. Metric rows go only to the followers of their run. */
export type StreamEvent =
  | { kind: "status"; run: Run }
  | { kind: "evaluation"; evaluation: Evaluation }
  | { kind: "experiment"; id: string }
  /** Each once, also if the connection was lost when it was told. */
  | { kind: "notification"; notification: Notification }
  | { kind: "end"; end: EndEvent }
  | { kind: "reconnected" }
  /** The stream was reopened without a loss, but events of runs that are not followed may have been missed. */
  | { kind: "reopened" }
  /** The service refused the stream. `cursors`: repeatedly, so that the cursors may be the reason. */
  | { kind: "refused"; cursors: boolean };

export type ConnectionState = "connecting" | "live" | "reconnecting";

/** The part of the browser's EventSource that the client needs. Tests pass their own. */
export interface Source {
  readonly readyState: number;
  onopen: (() => void) | null;
  onerror: (() => void) | null;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export const CLOSED = 2;
