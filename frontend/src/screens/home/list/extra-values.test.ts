import { expect, test } from "vitest";
import { extraText, type ExtraValues } from "./extra-values";

const values: ExtraValues = new Map([
  ["a", { hp_gamma: 0.99, "metric:train/loss": 0.5, preset: "fast", solved: true }],
  ["b", { hp_gamma: 0.99, "metric:train/loss": 1.5, preset: "slow", solved: null }],
]);

test("a single run shows its value, and nothing while it is unknown", () => {
  expect(extraText("hp_gamma", ["a"], values)).toEqual({ text: "0.99" });
  expect(extraText("solved", ["a"], values)).toEqual({ text: "yes" });
  expect(extraText("solved", ["b"], values)).toEqual({ text: "–" });
  expect(extraText("hp_gamma", ["c"], values)).toBeNull();
});

test("seeds show their shared value or their mean, which is labelled as a mean", () => {
  expect(extraText("hp_gamma", ["a", "b"], values)).toEqual({ text: "0.99" });
  expect(extraText("metric:train/loss", ["a", "b"], values)).toEqual({
    text: "mean 1.00",
    note: "Mean of 2 runs",
  });
  expect(extraText("preset", ["a", "b"], values)).toEqual({ text: "2 values", note: "fast, slow" });
});
