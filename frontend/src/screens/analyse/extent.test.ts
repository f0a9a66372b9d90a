import { describe, expect, it } from "vitest";
import { extentOf, placeIn, ticksOf } from "./columns";

describe("an axis", () => {
  it("is logarithmic only for positive values that span an order of magnitude", () => {
    expect(extentOf([1e-4, 1e-2], true).log).toBe(true);
    expect(extentOf([1, 9], true).log).toBe(false);
    expect(extentOf([0, 1000], true).log).toBe(false);
  });

  it("places values according to its scale", () => {
    expect(placeIn(1e-3, extentOf([1e-4, 1e-2], true))).toBeCloseTo(50);
    expect(placeIn(25, extentOf([0, 100]))).toBe(25);
    expect(placeIn(3, extentOf([3, 3]))).toBe(50);
  });

  it("has ticks at round values", () => {
    expect(ticksOf(extentOf([0, 100]))).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticksOf(extentOf([1, 11.3]), 4)).toEqual([5, 10]);
    expect(ticksOf(extentOf([7]))).toEqual([7]);
    expect(ticksOf(extentOf([]))).toHaveLength(6);
  });

  it("has ticks at powers of ten if it is logarithmic, or at 2 and 5 times them", () => {
    expect(ticksOf(extentOf([1e-4, 2e-2], true))).toEqual([1e-4, 1e-3, 1e-2]);
    expect(ticksOf(extentOf([3e-4, 3e-3], true))).toEqual([5e-4, 1e-3, 2e-3]);
    expect(ticksOf(extentOf([1e-8, 1], true), 4)).toEqual([1e-8, 1e-5, 1e-2]);
  });
});
