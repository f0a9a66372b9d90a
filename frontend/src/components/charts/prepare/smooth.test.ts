import { describe, expect, test } from "vitest";
import { smoothingLabel, timeWeightedEma } from "./smooth";

const ema = (x: number[], y: number[], smoothing: number, range = 1000) => [
  ...timeWeightedEma(Float64Array.from(x), Float64Array.from(y), [0, x.length], smoothing, range),
];

describe("the time-weighted average", () => {
  test("without smoothing is the points themselves", () => {
    expect(ema([0, 1, 2], [3, 1, 2], 0)).toEqual([3, 1, 2]);
  });

  test("weighs a point by its distance along the axis, debiased", () => {
    // One unit of 1000 apart, w = √0.25 = ½.
    const [first, second, third] = ema([0, 1, 2], [8, 2, 5], 0.25);
    expect(first).toBe(8);
    expect(second).toBeCloseTo((2 + 8 / 2) / (1 + 1 / 2));
    expect(third).toBeCloseTo((5 + 2 / 2 + 8 / 4) / (1 + 1 / 2 + 1 / 4));
  });

  test("counts distance in thousandths of what is on screen", () => {
    const [, near] = ema([0, 1], [8, 2], 0.25, 1000);
    expect(ema([0, 500], [8, 2], 0.25, 500_000)[1]).toBeCloseTo(near!);
  });

  test("gives points at one position the same weight", () => {
    expect(ema([5, 5, 5], [1, 2, 6], 0.9)).toEqual([1, 1.5, 3]);
  });

  test("shows a gap as a gap and goes on after it", () => {
    const smoothed = ema([0, 1, 2], [4, NaN, 4], 0.5);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[2]).toBeCloseTo(4);
  });

  test("of a constant is that constant, however strong", () => {
    for (const value of ema([0, 10, 500, 1000], [7, 7, 7, 7], 0.99)) expect(value).toBeCloseTo(7);
  });
});

test("a smoothed line says by how much", () => {
  expect(smoothingLabel(0.6)).toBe("EMA 0.60");
  expect(smoothingLabel(0)).toBe("no smoothing");
});
