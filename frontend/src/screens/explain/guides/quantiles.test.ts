import { expect, test } from "vitest";
import { mean, quantiles, risky, SAFE } from "./qrdqn";

test("one quantile is the median and many approach the mean", () => {
  expect(quantiles(SAFE, 1)[0]).toBeCloseTo(50, 0);
  expect(quantiles(risky(0.25), 1)[0]).toBeGreaterThan(55);
  const many = quantiles(risky(0.25), 200);
  expect(many.reduce((sum, value) => sum + value, 0) / 200).toBeCloseTo(50, 0);
});

test("quantiles increase and a quarter of them are where a quarter of the returns are", () => {
  const eight = quantiles(risky(0.25), 8);
  expect(eight.every((value, i) => i === 0 || value >= (eight[i - 1] ?? 0))).toBe(true);
  expect(eight.filter((value) => value < 40)).toHaveLength(2);
});

test("safe and risky actions pay the same at a risk of a quarter", () => {
  expect(mean(risky(0.25))).toBe(mean(SAFE));
});
