import type { EndEvent, Evaluation, Run } from "@/lib/api";

/** What the event stream tells the whole app. Metric rows go only to the followers of their run. */
export type StreamEvent =
  | { kind: "status"; run: Run }
  | { kind: "evaluation"; evaluation: Evaluation }
  | { kind: "end"; end: EndEvent }
  | { kind: "reconnected" }
  /** The stream was opened anew without a loss. Events of runs that nobody follows may still have been missed. */
  | { kind: "reopened" }
  /** The service would not open the stream. `cursors`: it did so repeatedly, so its positions may be the reason. */
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

export interface Timers {
  set(callback: () => void, ms: number): number;
  clear(id: number): void;
}
