import { describe, expect, test } from "vitest";
import {
  type Connection,
  type ConnectionEvent,
  type Effect,
  INITIAL,
  type Phase,
  transition,
} from "./session-machine";

const close: Effect = { kind: "close" };
const ask: Effect[] = [close, { kind: "ask" }];
const connect: Effect[] = [{ kind: "connect" }];
const later: Effect[] = [close, { kind: "schedule", attempt: 0 }];

const PHASES: Phase[] = ["resting", "asking", "opening", "live", "waiting", "refused", "ended"];
const EVENTS: ConnectionEvent[] = [
  ...(["start", "stop", "again", "created", "refused", "unreachable"] as const),
  ...(["greeted", "ended", "closed", "timerDue", "networkBack"] as const),
];

const at = (phase: Phase, change: Partial<Connection> = {}): Connection => ({
  phase,
  known: phase === "opening" || phase === "live",
  attempt: 0,
  ...change,
});

/** Every pair that does something. All the others change nothing. */
const TABLE: [Phase, ConnectionEvent, Partial<Connection>, Effect[]][] = [
  ["resting", "start", { phase: "asking" }, ask],
  ["refused", "again", { phase: "asking" }, ask],
  ["ended", "again", { phase: "asking" }, ask],
  ...PHASES.slice(1).map((phase): (typeof TABLE)[number] => [phase, "stop", INITIAL, [close]]),
  ["asking", "created", { phase: "opening", known: true }, connect],
  ["asking", "refused", { phase: "refused" }, [close]],
  ["asking", "unreachable", { phase: "waiting", attempt: 1 }, later],
  ["opening", "greeted", { phase: "live" }, []],
  ["opening", "ended", { phase: "ended", known: false }, [close]],
  ["live", "ended", { phase: "ended", known: false }, [close]],
  ["opening", "closed", { phase: "waiting", known: false, attempt: 1 }, later],
  ["live", "closed", { phase: "waiting", attempt: 1 }, later],
  ["waiting", "timerDue", { phase: "asking" }, ask],
  ["waiting", "networkBack", { phase: "asking" }, ask],
];

describe("every event in every phase", () => {
  test.each(PHASES.flatMap((phase) => EVENTS.map((event) => [phase, event] as const)))(
    "%s, %s",
    (phase, event) => {
      const before = at(phase);
      const found = TABLE.find(([from, what]) => from === phase && what === event);
      const expected = { next: { ...before, ...found?.[2] }, effects: found?.[3] ?? [] };
      expect(transition(before, event)).toEqual(expected);
    },
  );
});

test("a lost socket is reopened for the same session before another one is requested", () => {
  const lost = transition(at("live"), "closed").next;
  const again = transition(lost, "timerDue");
  expect([again.next.phase, again.effects]).toEqual(["opening", connect]);
  const gone = transition(again.next, "closed").next;
  expect(transition(gone, "timerDue").effects).toEqual(ask);
});

test("each failure waits longer than the previous one, and a greeting resets the delay", () => {
  const { next, effects } = transition(at("asking", { attempt: 2 }), "unreachable");
  expect([next.attempt, effects[1]]).toEqual([3, { kind: "schedule", attempt: 2 }]);
  expect(transition(at("opening", { attempt: 3 }), "greeted").next.attempt).toBe(0);
});

test("a returning network is tried without the accumulated backoff", () =>
  expect(transition(at("waiting", { attempt: 5 }), "networkBack").next.attempt).toBe(0));
