import { expect, test } from "vitest";
import type { Controls } from "@/api/types";
import { capsOf, keyName } from "./keys";

const PONG: Controls = {
  bindings: [
    { keys: ["ArrowUp"], value: 2, component: 0, label: "up" },
    { keys: ["Space"], value: 1, component: 0, label: "fire" },
    { keys: ["ArrowUp", "Space"], value: 4, component: 0, label: "fire and up" },
    { keys: ["KeyW"], value: 2, component: 0, label: "up" },
    { keys: ["KeyW", "Space"], value: 4, component: 0, label: "fire and up" },
  ],
  ...{ neutral: [0], is_continuous: false, rise_seconds: 0.25, fall_seconds: 0.15 },
};

test("each action has one key on the screen, which lights up for all its keys", () => {
  const { arrows, others } = capsOf(PONG);
  expect(arrows).toEqual([{ key: "ArrowUp", label: "up", alike: ["ArrowUp", "KeyW"] }]);
  expect(others.map(({ key }) => key)).toEqual(["Space"]);
});

test("the shared effect of keys is stated once", () =>
  expect(capsOf(PONG).chords.map(({ keys }) => keys)).toEqual([["ArrowUp", "Space"]]));

test.each([
  ["KeyA", "A"],
  ["Digit7", "7"],
  ["ArrowLeft", "←"],
])("%s is shown as %s", (code, sign) => expect(keyName(code).sign).toBe(sign));
