import { describe, expect, it } from "vitest";
import type { Histogram } from "@/api/types";
import { density } from "./density";

const histogram = (low: number, high: number, counts: number[], more = {}): Histogram => ({
  low,
  high,
  counts,
  mean: (low + high) / 2,
  std: (high - low) / 4,
  ...more,
});

describe("density", () => {
  it("puts histograms with different ranges on one axis", () => {
    const found = density([
      { step: 1, histogram: histogram(0, 4, [1, 1, 1, 1.5]) },
      { step: 2, histogram: histogram(4, 8, [1, 1, 1, 1.5]) },
    ])!;
    expect([found.low, found.high]).toEqual([0, 8]);
    const halves = found.columns.map(({ shares }) => {
      const all = [...shares!];
      return [all.slice(0, 20), all.slice(20)].map((half) => half.some((share) => share > 0));
    });
    expect(halves).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("spreads a wide bin evenly over the narrow ones it covers", () => {
    const [column] = density([{ step: 1, histogram: histogram(0, 1, [3]) }])!.columns;
    expect(new Set([...column!.shares!].map((share) => share.toFixed(4)))).toEqual(
      new Set(["1.0000"]),
    );
  });

  it("keeps a bin for each discrete action", () => {
    const found = density([
      { step: 1, histogram: histogram(-0.5, 1.5, [3, 1]) },
      { step: 2, histogram: histogram(-0.5, 2.5, [1, 1, 2]) },
    ])!;
    expect([found.low, found.high, found.bins]).toEqual([-0.5, 2.5, 3]);
    expect([...found.columns[0]!.shares!].map((share) => Number(share.toFixed(2)))).toEqual([
      1, 0.33, 0,
    ]);
  });

  it("has a bin for a named action that was never taken", () => {
    const moments = [{ step: 1, histogram: histogram(0.5, 1.5, [3]) }];
    const found = density(moments, 3)!;
    expect([found.low, found.high, found.bins]).toEqual([-0.5, 2.5, 3]);
    expect([...found.columns[0]!.shares!]).toEqual([0, 1, 0]);
  });

  it("counts values beyond an end in the bin there", () => {
    const far = histogram(0, 1000, [99, 0, 0, 1], { mean: 1, std: 1 });
    const found = density([{ step: 1, histogram: far }])!;
    expect(found.high).toBe(5);
    expect([...found.columns[0]!.shares!].every(Number.isFinite)).toBe(true);
  });

  it("is not flattened by one failed update", () => {
    const moments = Array.from({ length: 40 }, (_, i) => ({
      step: i,
      histogram: i === 20 ? histogram(-1e6, 1e6, [1, 2, 3, 2]) : histogram(-1, 1, [1, 2, 3, 2]),
    }));
    expect(density(moments)!.high).toBe(1);
  });

  it("leaves a gap without values and is empty without numbers", () => {
    const found = density([
      { step: 1, histogram: null },
      { step: 2, histogram: histogram(0, 1, [1, 2]) },
    ])!;
    expect(found.columns[0]!.shares).toBeNull();
    expect(density([{ step: 1, histogram: null }])).toBeNull();
  });

  it("can draw identical numbers", () => {
    const found = density([{ step: 1, histogram: histogram(0, 0, [4], { std: 0 }) }])!;
    expect(found.high).toBeGreaterThan(found.low);
  });
});
