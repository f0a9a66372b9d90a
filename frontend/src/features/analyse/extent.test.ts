import { describe, expect, it } from "vitest";
import { extentOf, placeIn, ticksOf } from "./extent";

describe("an axis", () => {
  it("is logarithmic for positive values that span an order of magnitude alone", () => {
    expect(extentOf([1e-4, 1e-2], true).log).toBe(true);
    expect(extentOf([1, 9], true).log).toBe(false);
    expect(extentOf([0, 1000], true).log).toBe(false);
  });

  it("places values by what it is", () => {
    expect(placeIn(1e-3, extentOf([1e-4, 1e-2], true))).toBeCloseTo(50);
    expect(placeIn(25, extentOf([0, 100]))).toBe(25);
    expect(placeIn(3, extentOf([3, 3]))).toBe(50);
  });

  it("has ticks from end to end", () => {
    expect(ticksOf(extentOf([0, 100]))).toEqual([0, 25, 50, 75, 100]);
    expect(ticksOf(extentOf([7]))).toEqual([7]);
    expect(ticksOf(extentOf([]))).toHaveLength(5);
  });
});
