import { expect, test } from "vitest";
import type { ClientMessage, SessionHello } from "@/api/types";
import { createStore } from "@/lib/store";
import type { SessionState } from "@/player/session/session-machine";
import { YourSeat } from "./your-seat";

/** A seat in an environment with two actions, and what it asks of its session. */
function seat(neutral: number | null) {
  const asked: unknown[] = [];
  const binding = (key: string, value: number) => ({ keys: [key], value, component: 0 });
  const bindings = [binding("ArrowLeft", 0), binding("ArrowRight", 1)];
  const hello = { controls: { neutral: [neutral], bindings }, action_space: { kind: "Discrete" } };
  const mine = new YourSeat({
    state: createStore({ hello: hello as unknown as SessionHello } as SessionState),
    newest: createStore(null),
    pause: () => undefined,
    reset: () => asked.push("reset"),
    forward: () => asked.push("step"),
    send: (message: ClientMessage) => asked.push("value" in message ? message.value : message.type),
  });
  return { mine, asked };
}

test("a held key acts in every step and a tapped one in the next", () => {
  const { mine, asked } = seat(5);
  mine.hold(1);
  mine.forward();
  mine.forward();
  mine.hold(0);
  mine.hold(null);
  mine.forward();
  mine.forward();
  expect(asked).toEqual([1, "step", 1, "step", 0, "step", "step"]);
});

test("without a no-op the last action continues, because a race does not wait", () => {
  const { mine, asked } = seat(null);
  mine.forward();
  mine.hold(1);
  mine.hold(null);
  mine.forward();
  mine.forward();
  mine.reset(3);
  mine.forward();
  expect(asked).toEqual([0, "step", 1, "step", 1, "step", "reset", 0, "step"]);
});
