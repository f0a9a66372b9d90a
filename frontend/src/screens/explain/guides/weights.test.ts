import { expect, test } from "vitest";
import { horizon, reached, weights } from "./a2c";

test("with λ 0 only the next step counts", () => {
  expect(weights({ gamma: 0.99, lambda: 0, steps: 5 }, 3)).toEqual([1, 0, 0]);
  expect(horizon({ gamma: 0.99, lambda: 0, steps: 5 })).toBe(1);
});

test("a short rollout reaches only the first part of a long view", () => {
  const estimate = { gamma: 0.99, lambda: 1, steps: 5 };
  expect(reached(estimate)).toBeCloseTo(0.049, 3);
  expect(horizon(estimate)).toBeCloseTo(4.901, 3);
  expect(reached({ ...estimate, steps: 500 })).toBeCloseTo(0.993, 3);
});
