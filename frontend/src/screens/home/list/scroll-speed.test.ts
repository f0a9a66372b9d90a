import { expect, test } from "vitest";
import { createScrollSpeedometer } from "./scroll";

test.each([
  ["the first event", [[0, 0]], false],
  [
    "reading",
    [
      [0, 0],
      [20, 16],
      [40, 32],
    ],
    false,
  ],
  [
    "racing down",
    [
      [0, 0],
      [400, 16],
    ],
    true,
  ],
  [
    "racing up",
    [
      [9000, 0],
      [8000, 16],
    ],
    true,
  ],
  [
    "a jump by a key",
    [
      [0, 0],
      [900, 500],
    ],
    false,
  ],
  [
    "two events of one moment",
    [
      [0, 16],
      [900, 16],
    ],
    false,
  ],
  [
    "slowing down",
    [
      [0, 0],
      [400, 16],
      [410, 32],
    ],
    false,
  ],
] as [string, [number, number][], boolean][])("%s", (_, events, expected) => {
  const isFast = createScrollSpeedometer();
  expect(events.map(([place, at]) => isFast(place, at)).at(-1)).toBe(expected);
});
