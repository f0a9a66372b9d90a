import { describe, expect, test } from "vitest";
import {
  type Connection,
  type ConnectionEvent,
  connectionState,
  type Effect,
  INITIAL,
  type Phase,
  transition,
} from "./connection-machine";

const OPEN: Effect = { kind: "open" };
const CLOSE: Effect = { kind: "close" };
const soon: Effect = { kind: "schedule", attempt: null };
const backoff = (attempt: number): Effect => ({ kind: "schedule", attempt });
const emit = (event: Extract<Effect, { kind: "emit" }>["event"]): Effect => ({
  kind: "emit",
  event,
});

/** A connection that has been live before, as most are. */
const at = (phase: Phase, change: Partial<Connection> = {}): Connection => ({
  ...INITIAL,
  ...{ phase, everLive: true },
  ...change,
});

const lost = { missed: true, lost: true };
const paused = { phase: "stopped", missed: true, lost: false } as const;

describe("every event in every phase", () => {
  test.each<[Phase, ConnectionEvent, Partial<Connection>, Effect[]]>([
    ["stopped", "start", { phase: "opening" }, [OPEN]],
    ["opening", "start", { phase: "opening" }, [OPEN]],
    ["live", "start", { phase: "opening" }, [OPEN]],
    ["interrupted", "start", { phase: "opening" }, [OPEN]],
    ["waiting", "start", { phase: "opening" }, [OPEN]],

    ["stopped", "stop", {}, []],
    ["opening", "stop", { phase: "stopped" }, [CLOSE]],
    ["live", "stop", { phase: "stopped" }, [CLOSE]],
    ["interrupted", "stop", { phase: "stopped" }, [CLOSE]],
    ["waiting", "stop", { phase: "stopped" }, [CLOSE]],

    ["stopped", "pause", paused, []],
    ["opening", "pause", paused, [CLOSE]],
    ["live", "pause", paused, [CLOSE]],
    ["interrupted", "pause", paused, [CLOSE]],
    ["waiting", "pause", paused, [CLOSE]],

    ["stopped", "networkBack", {}, []],
    ["opening", "networkBack", { phase: "opening" }, [OPEN]],
    ["live", "networkBack", { phase: "opening" }, [OPEN]],
    ["interrupted", "networkBack", { phase: "opening" }, [OPEN]],
    ["waiting", "networkBack", { phase: "opening" }, [OPEN]],

    ["stopped", "networkGone", {}, []],
    ["opening", "networkGone", lost, []],
    ["live", "networkGone", { phase: "interrupted", ...lost }, []],
    ["interrupted", "networkGone", lost, []],
    ["waiting", "networkGone", lost, []],

    ["stopped", "runsChanged", {}, []],
    ["opening", "runsChanged", {}, [soon]],
    ["live", "runsChanged", {}, [soon]],
    ["interrupted", "runsChanged", {}, [soon]],
    ["waiting", "runsChanged", {}, [soon]],

    ["stopped", "rewound", {}, []],
    ["opening", "rewound", { phase: "opening" }, [OPEN]],
    ["live", "rewound", { phase: "opening" }, [OPEN]],
    ["interrupted", "rewound", { phase: "opening" }, [OPEN]],
    ["waiting", "rewound", { phase: "opening" }, [OPEN]],

    ["stopped", "timerDue", {}, []],
    ["opening", "timerDue", { phase: "opening" }, [OPEN]],
    ["live", "timerDue", { phase: "opening" }, [OPEN]],
    ["interrupted", "timerDue", { phase: "opening" }, [OPEN]],
    ["waiting", "timerDue", { phase: "opening" }, [OPEN]],

    ["stopped", "sourceOpened", {}, []],
    ["opening", "sourceOpened", { phase: "live" }, [emit({ kind: "reopened" })]],
    ["interrupted", "sourceOpened", { phase: "live" }, [emit({ kind: "reopened" })]],

    ["stopped", "sourceInterrupted", {}, []],
    ["opening", "sourceInterrupted", lost, []],
    ["live", "sourceInterrupted", { phase: "interrupted", ...lost }, []],
    ["interrupted", "sourceInterrupted", lost, []],

    ["stopped", "sourceClosed", {}, []],
    [
      "opening",
      "sourceClosed",
      { phase: "waiting", ...lost, attempt: 1, refusals: 1 },
      [backoff(0), emit({ kind: "refused", cursors: false })],
    ],
    ["live", "sourceClosed", { phase: "waiting", ...lost, attempt: 1 }, [backoff(0)]],
    ["interrupted", "sourceClosed", { phase: "waiting", ...lost, attempt: 1 }, [backoff(0)]],
  ])("%s, %s", (phase, event, change, effects) => {
    const before = at(phase);
    expect(transition(before, event)).toEqual({ next: { ...before, ...change }, effects });
  });
});

describe("remembered state", () => {
  test("the first connection is neither a reconnection nor a reopening", () => {
    const { next, effects } = transition({ ...INITIAL, phase: "opening" }, "sourceOpened");
    expect(effects).toEqual([emit({ kind: "opened" })]);
    expect(next.everLive).toBe(true);
  });

  test("a page opened in the background has missed events until it is visible", () => {
    const hidden = transition(INITIAL, "pause").next;
    const { effects } = transition(transition(hidden, "start").next, "sourceOpened");
    expect(effects).toEqual([emit({ kind: "reconnected" })]);
  });

  test("a source that opens after a loss is a reconnection and resets every count", () => {
    const before = at("opening", { missed: true, lost: true, attempt: 4, refusals: 3 });
    expect(transition(before, "sourceOpened")).toEqual({
      next: at("live"),
      effects: [emit({ kind: "reconnected" })],
    });
  });

  test("each failed source waits longer than the previous one", () => {
    const { next, effects } = transition(at("live", { attempt: 2 }), "sourceClosed");
    expect([next.attempt, effects[0]]).toEqual([3, backoff(2)]);
  });

  test("two consecutive refusals make the stream positions unreliable", () => {
    const { effects } = transition(at("opening", { refusals: 1 }), "sourceClosed");
    expect(effects).toContainEqual(emit({ kind: "refused", cursors: true }));
  });

  test("a returning network is tried without the accumulated backoff", () => {
    expect(transition(at("waiting", { attempt: 5 }), "networkBack").next.attempt).toBe(0);
  });
});

test.each([
  [INITIAL, "connecting"],
  [at("live"), "live"],
  [at("opening"), "live"],
  [at("interrupted", lost), "reconnecting"],
  [{ ...INITIAL, phase: "waiting", ...lost }, "reconnecting"],
  [at("stopped", paused), "paused"],
  [at("opening", { missed: true }), "live"],
  [{ ...INITIAL, phase: "opening", missed: true }, "connecting"],
] as const)("%j is shown as %s", (connection, shown) =>
  expect(connectionState(connection)).toBe(shown),
);
