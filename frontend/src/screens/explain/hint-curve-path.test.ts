import { expect, test } from "vitest";
import { hintCurvePath } from "./hints-panel";

const size = { width: 100, height: 28 };

test("the marked section matches its steps within the curve", () => {
  const x = [0, 500, 1_000];
  const at = (from: number, to: number) => hintCurvePath(x, [1, 2, 3], { from, to }, size)?.mark;
  expect(at(250, 750)).toEqual({ from: 25, to: 75 });
  expect(at(900, 5_000)).toEqual({ from: 90, to: 100 });
  // A single step can still be seen, even the last one.
  expect(at(1_000, 1_000)).toEqual({ from: 96, to: 100 });
});

test("a gap stays a gap and a flat curve is in the middle", () => {
  expect(hintCurvePath([0, 1, 2, 3], [5, 5, null, 5], { from: 0, to: 1 }, size)?.path).toBe(
    "M0.0 14.0L33.3 14.0M100.0 14.0",
  );
});

test("a curve without two points is not drawn", () => {
  expect(hintCurvePath([], [], { from: 0, to: 1 }, size)).toBeNull();
  expect(hintCurvePath([1], [2], { from: 0, to: 1 }, size)).toBeNull();
  expect(hintCurvePath([1, 2], [null, 2], { from: 0, to: 1 }, size)).toBeNull();
});
