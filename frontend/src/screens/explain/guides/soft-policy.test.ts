import { expect, test } from "vitest";
import { linspace } from "@/charts/figure-scale";
import { massBetween, softPolicy } from "./sac";

const actions = linspace(-1, 1, 400);

test("its probabilities sum to one at every temperature", () => {
  for (const alpha of [0.02, 0.2, 2]) {
    expect(massBetween(actions, softPolicy(actions, alpha).density, -1, 1)).toBeCloseTo(1);
  }
});

test("a policy at high temperature is nearly uniform, at low temperature it stays on the highest peak", () => {
  expect(softPolicy(actions, 100).entropy).toBeCloseTo(Math.log(2), 3);
  const cold = softPolicy(actions, 0.01);
  expect(massBetween(actions, cold.density, 0.3, 0.7)).toBeGreaterThan(0.99);
  expect(cold.value).toBeGreaterThan(softPolicy(actions, 0.3).value);
  expect(cold.entropy).toBeLessThan(softPolicy(actions, 0.3).entropy);
});
