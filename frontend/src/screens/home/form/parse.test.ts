import { describe, expect, test } from "vitest";
import { describeBounds, parseHyperparameter, parseInteger } from "@/forms/parse";
import { choices } from "./fixtures";
import { positionOf, valueAt } from "./length-field";

describe("the slider", () => {
  const bounds = { minimum: 100, maximum: 10_000_000 };

  test.each([
    [100, 0],
    [10_000_000, 1],
    [31_622.7766, 0.5],
    [5, 0],
    [Number.NaN, 0],
  ])("stands for %d at %d", (value, position) =>
    expect(positionOf(value, bounds)).toBeCloseTo(position),
  );

  test("gives round numbers within the bounds", () => {
    expect(valueAt(0.5, bounds)).toBe(32_000);
    expect(valueAt(0, bounds)).toBe(100);
    expect(valueAt(1, bounds)).toBe(10_000_000);
  });
});

test.each([
  [{ minimum: 1, maximum: 5000 }, "1 to 5,000"],
  [{ exclusive_minimum: 0, maximum: 1 }, "above 0, at most 1"],
  [{ minimum: 0, exclusive_maximum: 1 }, "at least 0, below 1"],
  [{}, ""],
])("bounds %j read %s", (bounds, text) => expect(describeBounds(bounds)).toBe(text));

test("an empty value means none only if none is allowed", () => {
  const [rate, , kl, layers, schedule] = choices.algorithms[0]!.hyperparameters;
  expect(parseHyperparameter(kl!, "none")).toEqual({ ok: true, value: null });
  expect(parseHyperparameter(rate!, "").ok).toBe(false);
  expect(parseHyperparameter(schedule!, " ").ok).toBe(false);
  expect(parseHyperparameter(layers!, "none")).toEqual({ ok: true, value: [] });
  expect(parseHyperparameter(layers!, "").ok).toBe(false);
});

test.each(["50000", "50,000", "50_000", "5e4", "50k", " 50000 "])(
  "%j is fifty thousand",
  (text) => {
    expect(parseInteger(text, {})).toEqual({ ok: true, value: 50_000 });
  },
);

test.each(["", " ", "0x10", "5,00", "1.5", "Infinity", "1e"])("%j is not an integer", (text) => {
  expect(parseInteger(text, {}).ok).toBe(false);
});
