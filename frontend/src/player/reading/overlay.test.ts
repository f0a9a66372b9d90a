import { expect, test } from "vitest";
import { alphaOf } from "./seen-figure";

/** Two maps of 2 × 1 side by side, grey as they come out of a PNG. */
const maps = [0, 100, 200, 50].flatMap((grey) => [grey, grey, grey, 255]);

test("each map is drawn over its own picture", () => {
  const found = alphaOf(maps, { width: 4, height: 1, pictures: 2, merged: false });
  expect([...found]).toEqual([0, 85, 170, 42]);
});

test("a merged map over the newest picture has the strongest value of all", () => {
  const found = alphaOf(maps, { width: 4, height: 1, pictures: 2, merged: true });
  expect([...found]).toEqual([170, 85]);
});
