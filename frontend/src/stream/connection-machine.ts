import type { ConnectionState, StreamEvent } from "./events";

/**
 * What the connection is doing:
 *
 * - `stopped`: there is no event source. `missed` tells whether events are missed meanwhile, as they are while it is
 *   paused.
 * - `opening`: a source was made and has not opened yet.
 * - `live`: the source is open.
 * - `interrupted`: an open source lost its connection, or the network is known to be gone. The browser tries
 *   the same source again by itself.
 * - `waiting`: the source gave up. A new one is made when the backoff is over.
 */
export type Phase = "stopped" | "opening" | "live" | "interrupted" | "waiting";

export interface Connection {
  phase: Phase;
  /** Whether a source has ever opened. */
  everLive: boolean;
  /** Whether events may have been missed since a source was last open. */
  missed: boolean;
  /** Whether that is because the connection broke, and not because the page paused it. */
  lost: boolean;
  /** Sources in a row that closed. */
  attempt: number;
  /** Those of them that never opened. */
  refusals: number;
}

export type ConnectionEvent =
  | "start"
  /** The app is closed. */
  | "stop"
  /** The page is hidden: the connection is closed until `start`, which catches up. */
  | "pause"
  | "networkBack"
  | "networkGone"
  /** The set of followed runs has changed. */
  | "runsChanged"
  /** A followed run must be read again from an earlier position. */
  | "rewound"
  | "timerDue"
  | "sourceOpened"
  /** The source lost its connection, and the browser connects it again. */
  | "sourceInterrupted"
  /** The source closed for good: the service went away, or did not respond with a stream. */
  | "sourceClosed";

/** What to do after a transition, in this order. */
export type Effect =
  /** Replaces the source and cancels the timer. */
  | { kind: "open" }
  /** Closes the source and cancels the timer. */
  | { kind: "close" }
  /** Sets the timer, replacing one that is set. `attempt` null: at once. */
  | { kind: "schedule"; attempt: number | null }
  | { kind: "emit"; event: StreamEvent };

export interface Transition {
  next: Connection;
  effects: readonly Effect[];
}

export const INITIAL: Connection = {
  phase: "stopped",
  everLive: false,
  missed: false,
  lost: false,
  attempt: 0,
  refusals: 0,
};

/** After this many refusals in a row the cursors themselves are assumed to be refused. */
const REFUSED_CURSORS = 2;

const OPENED = { phase: "live", missed: false, lost: false, attempt: 0, refusals: 0 } as const;
const OPEN: readonly Effect[] = [{ kind: "open" }];
const CLOSE: readonly Effect[] = [{ kind: "close" }];
/** Opening a page follows several runs at once; one new source serves them all. */
const OPEN_SOON: readonly Effect[] = [{ kind: "schedule", attempt: null }];

/** The state after `event`, and what to do. Events without a meaning in a state change nothing. */
export function transition(now: Connection, event: ConnectionEvent): Transition {
  if (event === "start") return to(now, { phase: "opening" }, OPEN);
  // A page that was opened in the background has been paused before it was started.
  if (now.phase === "stopped") return to(now, event === "pause" ? { missed: true } : {});
  switch (event) {
    case "stop":
      return to(now, { phase: "stopped" }, CLOSE);
    case "pause":
      return to(now, { phase: "stopped", missed: true, lost: false }, CLOSE);
    case "networkBack":
      return to(now, { phase: "opening", attempt: 0 }, OPEN);
    case "networkGone":
    case "sourceInterrupted":
      return to(now, {
        phase: now.phase === "live" ? "interrupted" : now.phase,
        missed: true,
        lost: true,
      });
    case "runsChanged":
      return to(now, {}, OPEN_SOON);
    case "rewound":
    case "timerDue":
      return to(now, { phase: "opening" }, OPEN);
    case "sourceOpened":
      return opened(now);
    case "sourceClosed":
      return closed(now);
  }
}

/** The state as shown to the user. A source that is opened again without a loss, or after a pause, counts as live. */
export function connectionState({ phase, missed, lost, everLive }: Connection): ConnectionState {
  if (lost) return "reconnecting";
  if (missed && phase === "stopped") return "paused";
  return everLive ? "live" : "connecting";
}

function opened(now: Connection): Transition {
  const kind = now.missed ? "reconnected" : now.everLive ? "reopened" : "opened";
  return to(now, { ...OPENED, everLive: true }, [{ kind: "emit", event: { kind } }]);
}

/** A source that closes before it opened was refused, and the same request may never succeed. */
function closed(now: Connection): Transition {
  const { attempt } = now;
  const wait: Effect = { kind: "schedule", attempt };
  const waiting = { phase: "waiting", missed: true, lost: true, attempt: attempt + 1 } as const;
  if (now.phase !== "opening") return to(now, waiting, [wait]);
  const refusals = now.refusals + 1;
  const event: StreamEvent = { kind: "refused", cursors: refusals >= REFUSED_CURSORS };
  return to(now, { ...waiting, refusals }, [wait, { kind: "emit", event }]);
}

function to(
  now: Connection,
  change: Partial<Connection>,
  effects: readonly Effect[] = [],
): Transition {
  return { next: { ...now, ...change }, effects };
}
