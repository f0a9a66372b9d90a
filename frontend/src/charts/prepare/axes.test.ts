import { describe, expect, test } from "vitest";
import { stepped, within, zoomed } from "../chart-group";
import { logTicks, tickLabel } from "../figure-scale";
import { elapsedLabel, logRange, mostOf, positionRange, valueRange } from "./axes";

describe("ranges", () => {
  test("the x-axis starts at the beginning of runs and at the edges of a window", () => {
    expect(positionRange(500, null)).toEqual([0, 500]);
    expect(positionRange(0, null)).toEqual([0, 1]);
    expect(positionRange(500, [100, 200])).toEqual([100, 200]);
  });

  test.each([
    ["never negative values stand on zero", [10, 475], 0, 475],
    ["a narrow stretch far from zero fills the chart", [470, 500], 465, 500],
    ["negative values keep room on both sides", [-200, -100], -210, -100],
    ["one value has room around it", [5, 5], 4, 5.2],
    ["rounding is no height", [200, 200.00000000001], 180, 210],
  ] as const)("%s", (_, extent, lowest, reached) => {
    const [low, high] = valueRange([...extent]);
    expect(low).toBeGreaterThanOrEqual(lowest);
    expect(low).toBeLessThanOrEqual(extent[0]);
    expect(high).toBeGreaterThanOrEqual(reached);
  });

  test.each([[[Infinity, -Infinity]], [[0, 0]], [[-3, -3]]] as [number, number][][])(
    "%j still gives a range",
    (extent) => {
      for (const range of [valueRange, logRange]) {
        const [low, high] = range(extent);
        expect(high).toBeGreaterThan(low);
      }
    },
  );

  test("the main range spans the 1st to the 99th percentile", () => {
    const values = Float64Array.from({ length: 101 }, (_, i) => (i === 50 ? 1e9 : i));
    expect(mostOf(values)).toEqual([1, 100]);
    expect(mostOf(values.slice(0, 9))).toBeNull();
  });
});

describe("markers", () => {
  test.each([
    [20_000, 5000, "20k"],
    [0.5, 0.25, "0.50"],
    [0.0003, 0.0001, "0.0003"],
    [0.00003, 0.00001, "3e-5"],
    [0, 0.1, "0"],
    [-100, 50, "-100"],
    [-1180, 10, "-1.18k"],
    [-1180, 5, "-1,180"],
    [12_500, 2_500, "12.5k"],
  ])("%d in steps of %d reads %s", (value, increment, text) =>
    expect(tickLabel(value, increment)).toBe(text),
  );

  test.each([
    [0.25, "0.25s"],
    [45, "45s"],
    [90, "1m 30s"],
    [3600, "1h"],
    [93_600, "1d 2h"],
    [119.7, "1m 59s"],
  ])("%d seconds read %s", (seconds, text) => expect(elapsedLabel(seconds)).toBe(text));

  test("a logarithmic axis has ticks at powers of ten, and more between a few of them", () => {
    expect(logTicks([0, 4]).map(({ label }) => label)).toEqual(["1", "10", "100", "1k", "10k"]);
    expect(logTicks([1, 2]).map(({ label }) => label)).toEqual(["10", "20", "50", "100"]);
    expect(logTicks([-5, -4]).map(({ label }) => label)).toEqual([
      "10⁻⁵",
      "2·10⁻⁵",
      "5·10⁻⁵",
      "10⁻⁴",
    ]);
    expect(logTicks([-2, 30]).length).toBeLessThan(12);
  });
});

describe("zooming", () => {
  test("keeps the center where it is", () => {
    expect(zoomed([0, 100], 25, 0.5, [0, 100])).toEqual([12.5, 62.5]);
  });

  test("zooming out of the whole range resets the zoom", () => {
    expect(zoomed([20, 80], 50, 4, [0, 100])).toBeNull();
    expect(within([5, 5], [0, 100])).toBeNull();
  });

  test("stays within the data", () => {
    expect(within([-20, 30], [0, 100])).toEqual([0, 50]);
    expect(within([80, 130], [0, 100])).toEqual([50, 100]);
  });

  test.each([
    [null, 1, 10],
    [null, -1, 30],
    [20, 1, 30],
    [20, -1, 10],
    [30, 1, 30],
    [22, 1, 30],
    [10, -10, 10],
  ])("the cursor at %j moved by %d is at %d", (x, by, to) =>
    expect(stepped([10, 20, 30], x, by)).toBe(to),
  );
});
