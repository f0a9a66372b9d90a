import type { EndEvent, Evaluation, Run } from "@/lib/api";

/** What the hub tells the whole app. Metric rows go only to those who follow the run. */
export type StreamEvent =
  | { kind: "status"; run: Run }
  | { kind: "evaluation"; evaluation: Evaluation }
  | { kind: "end"; end: EndEvent }
  | { kind: "reconnected" }
  /** Opened anew without a loss: events of runs that nobody follows may still have passed unheard. */
  | { kind: "reopened" }
  /** The service would not open the stream; `cursors`: again, so that its positions are in doubt. */
  | { kind: "refused"; cursors: boolean };

export type ConnectionState = "connecting" | "live" | "reconnecting";

/** The part of the browser's EventSource that the hub needs; tests pass their own. */
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
