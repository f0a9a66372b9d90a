import { describe, expect, test } from "vitest";
import { Column } from "@/stream/series/column";
import { columnAt, stackOf } from "./stack";

function column(points: readonly (readonly [x: number, y: number | null])[]): Column {
  const made = new Column();
  points.forEach(([x, y]) => made.push(x, y));
  return made;
}

const goal = column([
  [10, 0],
  [20, 2],
  [30, 4],
  [40, 6],
]);
const fuel = column([
  [10, -1],
  [20, -3],
  [30, null],
  [40, -2],
]);
const parts = [
  { id: "goal", column: goal },
  { id: "fuel", column: fuel },
];
const whole = { window: null, smoothing: 0, most: 2 };

describe("stackOf", () => {
  test("stacks gains above zero and losses below, as means of equally many points", () => {
    const stack = stackOf(parts, whole)!;
    expect(stack.edges).toEqual([0, 20, 40]);
    expect(stack.parts.map(({ values }) => values)).toEqual([
      [1, 5],
      [-2, -2],
    ]);
    expect(stack.parts[1]!.spans).toEqual([
      [0, -2],
      [0, -2],
    ]);
    expect(stack.totals).toEqual([-1, 3]);
    expect(stack.parts.map(({ share }) => share)).toEqual([0.6, 0.4]);
  });

  test("puts parts of the same sign on top of each other", () => {
    const stack = stackOf([parts[0]!, { id: "more", column: goal }], whole)!;
    expect(stack.parts[1]!.spans).toEqual([
      [1, 2],
      [5, 10],
    ]);
    expect(stack.y[0]).toBe(0);
  });

  test("shows only the window", () => {
    const stack = stackOf(parts, { ...whole, window: [15, 30] })!;
    expect(stack.edges).toEqual([15, 20, 30]);
    expect(stack.x).toEqual([15, 30]);
  });

  test("is empty without points", () => {
    expect(stackOf([], whole)).toBeNull();
    expect(stackOf([{ id: "a", column: new Column() }], whole)).toBeNull();
  });

  test("finds the column at a position", () => {
    const stack = stackOf(parts, whole)!;
    expect([0, 20, 21, 40, 41].map((x) => columnAt(stack, x))).toEqual([0, 0, 1, 1, null]);
  });
});
