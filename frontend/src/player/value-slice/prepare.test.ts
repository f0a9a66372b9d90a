import { describe, expect, test } from "vitest";
import type { ValueSlice } from "@/api/types";
import { recordOf } from "../session/testing";
import {
  canBeSliced,
  componentsOf,
  drawnSlice,
  endsOf,
  firstPair,
  movedBy,
  numbersOf,
  pathOf,
  pointOf,
  readAt,
  sharesOf,
  summaryOf,
} from "./prepare";

const slice: ValueSlice = {
  run_id: "run",
  step: 100,
  x: { place: 2, name: "angle", unit: "rad", low: -1, high: 1 },
  y: { place: 0, name: "position", unit: "", low: 0, high: 10 },
  at: [0, 0, 0],
  values: [
    [1, 2],
    [3, null],
  ],
  low: 1,
  high: 3,
  kind: "q",
};
const seen = (...observation: (number | null)[]) => recordOf(0, { observation });

describe("a value slice", () => {
  test.each([
    [1, 3, ["1.00", "3.00"]],
    [38.4102, 38.4419, ["38.41", "38.44"]],
    [2, 2, ["2.00", "2.00"]],
  ])("has a scale whose ends differ where its values do: %f to %f", (low, high, ends) =>
    expect(endsOf({ low, high })).toEqual(ends),
  );

  test("has its lowest row at the bottom of the picture", () =>
    expect(sharesOf(slice)).toEqual([
      [1, null],
      [0, 0.5],
    ]));

  test("of a single value is evenly dark", () =>
    expect(sharesOf({ ...slice, values: [[4, 4]], low: 4, high: 4 })).toEqual([[0.5, 0.5]]));

  test("shows the predicted value at a point", () => {
    expect(readAt(slice, { left: 0, top: 0 })).toBe(
      "angle -1.00 rad, position 10.0: greatest Q 3.00",
    );
    expect(readAt(slice, { left: 1, top: 1 })).toBe("angle 1.00 rad, position 0: greatest Q 2.00");
    expect(readAt(slice, { left: 1, top: 0 })).toContain("greatest Q –");
  });

  test("is described in one sentence", () =>
    expect(summaryOf(slice)).toBe("greatest Q over angle and position, from 1.00 to 3.00"));
});

describe("the path of an episode", () => {
  test("follows its two components", () =>
    expect(pointOf(slice, seen(5, 9, 0.5))).toEqual({ left: 0.75, top: 0.5 }));

  test("breaks where it leaves the picture or was not recorded", () => {
    const records = [seen(0, 0, 0), seen(5, 0, 0), seen(11, 0, 0), seen(5, 0, 1), seen(5, 0, null)];
    expect(pathOf(slice, records).map((piece) => piece.length)).toEqual([2, 1]);
  });
});

describe("the components to choose from", () => {
  test("are those of a list of numbers, by name", () => {
    const space = { kind: "Box", shape: [2], labels: ["angle"] };
    expect(canBeSliced(space)).toBe(true);
    expect(componentsOf(space)).toEqual(["angle", "1"]);
  });

  test("are as many as in the step records if the shape is unknown", () => {
    const space = { kind: "Box", numbers: 3, labels: ["x", "y", "z"] };
    expect(canBeSliced(space)).toBe(true);
    expect(firstPair(space)).toEqual([1, 2]);
    expect(canBeSliced({ kind: "Box", numbers: 0 })).toBe(false);
  });

  test("do not exist for a picture, a single number or a discrete state", () => {
    const spaces = [
      { kind: "Box", shape: [8, 8, 3], dtype: "uint8" },
      { kind: "Box", shape: [1] },
      { kind: "Discrete", n: 4 },
    ];
    expect(spaces.map((space) => canBeSliced(space))).toEqual([false, false, false]);
  });

  test("are held at their values only if every number was recorded", () =>
    expect([numbersOf(seen(1, 2)), numbersOf(seen(1, null))]).toEqual([[1, 2], null]));
});

test("numbers in rows and columns are components, pictures are not", () => {
  expect(canBeSliced({ kind: "Box", shape: [2, 3], dtype: "float32" })).toBe(true);
  expect(canBeSliced({ kind: "Box", shape: [84, 84], dtype: "uint8" })).toBe(false);
  expect(canBeSliced({ kind: "Box", shape: [40, 40], dtype: "float32" })).toBe(false);
  expect(
    numbersOf(
      recordOf(0, {
        observation: [
          [1, 2],
          [3, 4],
        ],
      }),
    ),
  ).toEqual([1, 2, 3, 4]);
});

test("a slice of a session uses the requested components, by name", () => {
  const reach = { low: -1, high: 1 };
  const found = drawnSlice(
    {
      ...{ type: "slice", policy_step: 1, episode: 0, index: 5, over: [1, 0] },
      slice: { kind: "value", x: reach, y: reach, at: [0, 0], values: [[0]], low: 0, high: 0 },
    },
    { kind: "Box", shape: [2], labels: ["position", "speed"], units: ["m", "m/s"] },
  );
  expect([found.x.name, found.x.unit, found.y.name]).toEqual(["speed", "m/s", "position"]);
});

test("arrow keys move a point by a cell, with Shift by eight, and never out of the picture", () => {
  const middle = { left: 0.5, top: 0.5 };
  expect(movedBy("ArrowRight", false, middle)!.left).toBeCloseTo(0.5 + 1 / 63);
  expect(movedBy("ArrowUp", true, middle)!.top).toBeCloseTo(0.5 - 8 / 63);
  expect(movedBy("ArrowDown", true, { left: 0, top: 0.99 })).toEqual({ left: 0, top: 1 });
  expect(movedBy("a", false, middle)).toBeNull();
});
