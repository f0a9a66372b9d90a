import { describe, expect, test } from "vitest";
import { RunSeries } from "@/lib/stream";
import { align, valueAt } from "./align";
import { lengthChart, metricsOf, rewardChart } from "./learning-curves";
import { prepare } from "./prepare";
import { stepRange, valueRange } from "./scales";

const REWARD = "episode/reward";
const MEAN = "rollout/ep_rew_mean";

function series(rows: [step: number, values: Record<string, number | null>][]) {
  const series = new RunSeries([REWARD, MEAN]);
  series.append(rows.map(([step, values], i) => ({ seq: i, time: i, step, values })));
  return series;
}

describe("aligning", () => {
  test("a step only one series has is no point, and no gap, in the other", () => {
    const data = align([
      { x: [1, 2, 4], y: [10, null, 40] },
      { x: [2, 3], y: [200, 300] },
    ]);
    expect(data).toEqual([
      [1, 2, 3, 4],
      [10, null, undefined, 40],
      [undefined, 200, 300, undefined],
    ]);
  });

  test("episodes that ended at one step all stay", () => {
    expect(align([{ x: [5, 5, 5], y: [1, 2, 3] }])).toEqual([
      [5, 5, 5],
      [1, 2, 3],
    ]);
  });

  test("under the pointer a series shows its own value or its newest before; a gap shows none", () => {
    const y = [undefined, 7, undefined, null, undefined];
    expect([0, 1, 2, 3, 4].map((row) => valueAt(y, row))).toEqual([null, 7, 7, null, null]);
  });
});

describe("scales", () => {
  test("runs are read from step zero", () => {
    expect(stepRange([100, 500])).toEqual([0, 500]);
    expect(stepRange([])).toEqual([0, 1]);
  });

  test("values that are never negative stand on zero, and the reference is in sight", () => {
    const [low, high] = valueRange([[10, 20, null, undefined]], [475]);
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(475);
  });

  test("negative returns keep room on both sides and never reach past zero", () => {
    const [low, high] = valueRange([[-200, -100]], [-110]);
    expect(low).toBeLessThan(-200);
    expect(high).toBeGreaterThan(-100);
    expect(high).toBeLessThanOrEqual(0);
  });

  test.each([[[]], [[[null, undefined]]], [[[0, 0]]]])("%j still gives a range", (ys) => {
    const [low, high] = valueRange(ys, []);
    expect(high).toBeGreaterThan(low);
  });
});

describe("the reward chart", () => {
  test("says that it is empty", () => {
    const model = prepare(rewardChart(475), series([]));
    expect(model.points).toBe(0);
    expect(model.summary).toBe("Episode return: No finished episode yet");
  });

  test("tells its newest values in a sentence", () => {
    const held = series([
      [10, { [REWARD]: 12 }],
      [2048, { [MEAN]: 21.5 }],
      [12_000, { [REWARD]: null }],
    ]);
    const model = prepare(rewardChart(475), held);
    expect(model.latest).toEqual([12, 21.5]);
    expect(model.summary).toBe(
      "Episode return at step 12k: Episode 12.0, Mean of 100 21.5, Solved at 475.0. 3 points.",
    );
  });

  test("draws a value that is missing as a gap", () => {
    const held = series([
      [1, { [MEAN]: 5 }],
      [2, { [MEAN]: null }],
      [3, { [MEAN]: 7 }],
    ]);
    expect(prepare(rewardChart(null), held).data[2]).toEqual([5, null, 7]);
  });

  test("has no reference where the environment has none", () => {
    expect(rewardChart(null).references).toEqual([]);
    expect(rewardChart(undefined).references).toEqual([]);
    expect(rewardChart(0).references).toHaveLength(1);
  });

  test("thins for the screen, counts what it holds, and loses no extreme", () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, i) => [i, { [REWARD]: i === 4321 ? 9999 : i % 7 }] as [number, Record<string, number>],
    );
    const model = prepare(rewardChart(null), series(rows), 500);
    expect(model.points).toBe(10_000);
    expect(model.data[0].length).toBeLessThanOrEqual(500);
    expect(model.data[1]).toContain(9999);
  });
});

test("charts name every metric they need once", () => {
  expect(metricsOf([rewardChart(1), lengthChart(), rewardChart(2)])).toEqual([
    REWARD,
    MEAN,
    "episode/length",
    "rollout/ep_len_mean",
  ]);
});

test("points step back once they are many", () => {
  const spec = rewardChart(null);
  const of = (n: number) =>
    prepare(spec, series(Array.from({ length: n }, (_, i) => [i, { [REWARD]: i }])));
  expect(of(500).pointAlpha).toBe(1);
  expect(of(501).pointAlpha).toBeLessThan(1);
});
