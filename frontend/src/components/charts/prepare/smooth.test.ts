import { describe, expect, test } from "vitest";
import { RunSeries } from "@/lib/stream";
import { prepareCurve } from "./curve";
import type { SeriesSpec } from "./model";
import { ema, smoothingLabel } from "./smooth";

const smooth = (y: number[], smoothing: number, spans = y.map(() => 1)) => [
  ...ema({ y: Float64Array.from(y), spans: Float64Array.from(spans), length: y.length }, smoothing),
];

describe("the exponential moving average", () => {
  test("without smoothing is the points themselves", () => {
    expect(smooth([3, 1, 2], 0)).toEqual([3, 1, 2]);
  });

  test("weighs a point by how many points back it lies, debiased", () => {
    const [first, second, third] = smooth([8, 2, 5], 0.5);
    expect(first).toBe(8);
    expect(second).toBeCloseTo((2 + 8 / 2) / (1 + 1 / 2));
    expect(third).toBeCloseTo((5 + 2 / 2 + 8 / 4) / (1 + 1 / 2 + 1 / 4));
  });

  test("counts a point that stands for several as often as these", () => {
    expect(smooth([8, 2], 0.9, [3, 2])[1]).toBeCloseTo(smooth([8, 8, 8, 2, 2], 0.9)[4]!);
  });

  test("shows a gap as a gap and goes on after it", () => {
    const smoothed = smooth([4, NaN, 4], 0.5);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[2]).toBeCloseTo(4);
  });

  test("of a constant is that constant, however strong", () => {
    for (const value of smooth([7, 7, 7, 7], 0.99)) expect(value).toBeCloseTo(7);
  });
});

const METRIC = "episode/reward";
const values = Array.from({ length: 200 }, (_, i) => (i * 37) % 100);

function seriesAlong(axis: "step" | "time"): SeriesSpec {
  const source = new RunSeries();
  const scale = axis === "step" ? 100 : 0.25;
  const x = values.map((_, i) => i * i * scale);
  source.load({ x: axis, series: { [METRIC]: { x, y: values, count: x.length } } });
  return { id: "a", source, metric: METRIC, label: "", mode: "points", color: "series-1" };
}

test("a smoothed value stays the same under zoom and along another axis", () => {
  const options = { smoothing: 0.95, maxPoints: 1000 };
  const whole = prepareCurve(seriesAlong("step"), { ...options, window: null });
  const zoomed = prepareCurve(seriesAlong("step"), { ...options, window: [1_000_000, 2_000_000] });
  const timed = prepareCurve(seriesAlong("time"), { ...options, window: null });
  expect(timed.line).toEqual(whole.line);
  expect(zoomed.x.length).toBeLessThan(100);
  zoomed.x.forEach((x, i) => expect(zoomed.line[i]).toBe(whole.line[whole.x.indexOf(x)]));
});

test("detail that is fetched for a zoom does not move the smoothed line", () => {
  const series = seriesAlong("step");
  const source = series.source as RunSeries;
  source.load({ series: { [METRIC]: { x: [0, 100, 200], y: [0, 10, 20], count: 300 } } });
  const before = prepareCurve(series, { smoothing: 0.9, window: null, maxPoints: 1000 });
  source.loadDetail([50, 250], { series: { [METRIC]: { x: [60, 100], y: [50, 90], count: 2 } } });
  const after = prepareCurve(series, { smoothing: 0.9, window: [60, 150], maxPoints: 1000 });
  expect(after.raw).toEqual([50, 90, 20]);
  expect(after.line[1]).toBe(before.line[1]);
});

test("a smoothed line says by how much", () => {
  expect(smoothingLabel(0.6)).toBe("EMA 0.60");
  expect(smoothingLabel(0)).toBe("no smoothing");
});
