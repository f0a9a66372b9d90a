import { expect, test } from "vitest";
import type { SearchResults } from "@/api/types";
import { brushed, type Brushes, coordinatesOf, moved, passes } from "./coordinates";

const coordinates: SearchResults["coordinates"] = {
  axes: [
    { name: "learning_rate", log: true, low: 1e-5, high: 1e-2, choices: null },
    { name: "activation", log: false, low: null, high: null, choices: ["tanh", "relu", "elu"] },
    { name: "clip", log: false, low: 0.1, high: 0.5, choices: null },
  ],
  lines: [
    { number: 0, objective: 100, places: [0, 0, 0.25] },
    { number: 2, objective: 200, places: [1, 0.5, null] },
  ],
};
const { axes, lines } = coordinatesOf({ coordinates });
const passing = (brushes: Brushes) =>
  lines.filter((line) => passes(axes, line, brushes)).map(({ number }) => number);

test("each axis is labelled, with the objective last", () => {
  expect(axes.map(({ name }) => name)).toEqual([
    "learning_rate",
    "activation",
    "clip",
    "objective",
  ]);
  const [rate, activation, clip, objective] = axes;
  expect(rate!.ticks.map(({ label }) => label)).toEqual(["1e-5", "1e-4", "0.001", "0.01"]);
  expect(rate!.ticks[1]!.at).toBeCloseTo(1 / 3);
  expect(rate!.says(0.5)).toBe("3.162e-4");
  expect(activation!.ticks.map(({ at }) => at)).toEqual([0, 0.5, 1]);
  expect(clip!.says(0.5)).toBe("0.3");
  expect(objective!.says(0.5)).toBe("150.0");
  expect(lines[1]!.places).toEqual([1, 0.5, null, 1]);
});

test("a brush keeps trials within it and drops those to which its axis does not apply", () => {
  expect(passing({})).toEqual([0, 2]);
  expect(passing({ learning_rate: [0, 0.5] })).toEqual([0]);
  expect(passing({ activation: [0.5, 0.5], objective: [0.9, 1] })).toEqual([2]);
  expect(passing({ clip: [0, 1] })).toEqual([0]);
});

test("a brush over the whole axis is removed, whichever way it was drawn", () => {
  expect(brushed({}, "clip", 0.75, 0.25)).toEqual({ clip: [0.25, 0.75] });
  expect(brushed({ clip: [0.25, 0.75] }, "clip", 1.5, -1)).toEqual({});
});

test("the keyboard moves one end, choice by choice, up to the other", () => {
  const activation = axes[1]!;
  expect(moved({}, activation, "from", 1)).toEqual({ activation: [0.5, 1] });
  expect(moved({ activation: [0.5, 0.5] }, activation, "from", 1)).toEqual({
    activation: [0.5, 0.5],
  });
  expect(moved({ activation: [0.5, 1] }, activation, "from", "first")).toEqual({});
});
