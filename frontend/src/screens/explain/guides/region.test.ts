import { expect, test } from "vitest";
import { divergence, naturalStep, plainStep, promise, type Vector } from "./trpo";

const region = { delta: 0.01, angle: 0.8, skew: 6 };

test("both steps end on the edge of the trust region", () => {
  expect(divergence(region, plainStep(region))).toBeCloseTo(0.01);
  expect(divergence(region, naturalStep(region))).toBeCloseTo(0.01);
});

test("no other step within the region improves as much as the natural one", () => {
  const best = promise(region, naturalStep(region));
  for (let turn = 0; turn < 2 * Math.PI; turn += 0.01) {
    const direction: Vector = [Math.cos(turn), Math.sin(turn)];
    const stretch = Math.sqrt(region.delta / divergence(region, direction));
    const there: Vector = [direction[0] * stretch, direction[1] * stretch];
    expect(promise(region, there)).toBeLessThanOrEqual(best + 1e-12);
  }
});

test("with equally important parameters the gradient is the best direction", () => {
  const even = { ...region, skew: 1 };
  expect(plainStep(even)[0]).toBeCloseTo(naturalStep(even)[0]);
});
