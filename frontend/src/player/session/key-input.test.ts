import { expect, test } from "vitest";
import type { Controls } from "@/api/types";
import { type Action, KeyInput, movedTowards, wantedBy } from "./key-input";
import { FakeFrames } from "./testing";

const bind = (keys: string | string[], value: number, component = 0) => ({
  ...{ keys: [keys].flat(), value, component, label: String(value) },
});

const table = (change: Partial<Controls>): Controls => ({
  ...{ bindings: [], neutral: [0], is_continuous: false, rise_seconds: 0.25, fall_seconds: 0.15 },
  ...change,
});

/** Pong: two ways, fire, and both at once. */
const PONG = table({
  bindings: [bind("Up", 2), bind("Down", 3), bind("Space", 1), bind(["Up", "Space"], 4)],
});
/** Nothing can be left undone. */
const CART = table({ bindings: [bind("Left", 0), bind("Right", 1)], neutral: [null] });
/** Two numbers; the second one rests at its bound. */
const ENGINES = table({
  bindings: [bind("Left", -1), bind("Right", 1), bind("Up", 1, 1)],
  ...{ neutral: [0, -1], is_continuous: true },
});

function keyInputFor(controls: Controls, counted = true) {
  const acts: (Action | null)[] = [];
  const frames = new FakeFrames();
  const clock = { now: 0, pace: 1 };
  const held = new KeyInput({
    ...{ controls, counted, frames, act: (action) => acts.push(action) },
    ...{ pace: () => clock.pace, now: () => clock.now },
  });
  const pass = (ms: number) => {
    clock.now += ms;
    frames.run();
  };
  return { held, acts, pass, clock };
}

test.each([
  [["Up"], 2],
  [["Up", "Down"], 3],
  [["Down", "Up"], 2],
  [["Space", "Up", "Down"], 4],
  [["Other"], 0],
] as const)(
  "of the held keys %j the largest combination counts, then the last one pressed",
  (keys, action) => expect(wantedBy(PONG, keys)).toEqual([action]),
);

test("keys send the action they mean, once per change", () => {
  const { held, acts } = keyInputFor(CART);
  for (const key of ["Right", "KeyN", "Right"]) held.press(key);
  held.press("Left");
  held.release("Left");
  held.release("Right");
  expect(acts).toEqual([1, 0, 1, null]);
});

test("a number moves to its bound and back to neutral at the configured speed", () => {
  const { held, acts, pass } = keyInputFor(ENGINES, false);
  held.press("Right");
  pass(125);
  pass(125);
  expect(acts).toEqual([
    [0.5, -1],
    [1, -1],
  ]);
  held.release("Right");
  pass(75);
  pass(75);
  expect(acts.slice(2)).toEqual([[0.5, -1], null]);
});

test("a number whose neutral is a bound moves all the way to the other", () => {
  expect(movedTowards(ENGINES, [0, -1], [0, 1], 0.125)).toEqual([0, 0]);
  expect(movedTowards(ENGINES, [0, 1], [0, -1], 0.075)).toEqual([0, 0]);
});

test("numbers move faster at higher playing speed", () => {
  const { held, acts, pass, clock } = keyInputFor(ENGINES, false);
  clock.pace = 2;
  held.press("Left");
  pass(62.5);
  expect(acts).toEqual([[-0.5, -1]]);
});

test("a released control is immediately neutral", () => {
  const { held, acts, pass } = keyInputFor(ENGINES, false);
  held.press("Up");
  pass(50);
  held.letGo();
  pass(50);
  expect([acts.length, acts.at(-1), held.held.get()]).toEqual([2, null, []]);
});

test("several discrete actions are sent together", () => {
  const rows = table({ bindings: [bind("1", 1), bind("Q", 2, 1)], neutral: [0, 0] });
  const { held, acts } = keyInputFor(rows, false);
  held.press("1");
  held.press("Q");
  held.release("1");
  expect(acts).toEqual([
    [1, 0],
    [1, 2],
    [0, 2],
  ]);
});
