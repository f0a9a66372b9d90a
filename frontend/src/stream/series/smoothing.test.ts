import { expect, test } from "vitest";
import type { MetricCurve } from "@/api/types";
import { Column, MovingAverage } from "./column";
import { RunSeries } from "./run-series";

const METRIC = "episode/reward";
const SMOOTHING = 0.9;
const values = Array.from({ length: 200 }, (_, i) => (i * 37) % 100);
const average = new MovingAverage(SMOOTHING);
const exact = values.map((value) => average.next(value));

/** What the service answers for the points `kept` of the first `known`, smoothed over all of them. */
function answered(kept: readonly number[], known = 150, along = (i: number) => i): MetricCurve {
  const last = kept.at(-1)!;
  return {
    x: kept.map(along),
    y: kept.map((i) => values[i]!),
    count: known,
    smoothed: {
      y: kept.map((i) => exact[i]!),
      mean: exact[last]!,
      weight: 1 - SMOOTHING ** (last + 1),
    },
  };
}

const row = (i: number) => ({ seq: i, time: i, step: i, values: { [METRIC]: values[i]! } });
const live = (series: RunSeries, from: number) =>
  series.append(values.slice(from).map((_, i) => row(from + i)));
const smoothed = (series: RunSeries, window: [number, number] | null = null) => {
  const column = series.column(METRIC, window);
  return new Map(
    Array.from({ length: column.length }, (_, i) => [column.x[i]!, column.smoothed[i]!]),
  );
};

function loaded(kept: readonly number[]): RunSeries {
  const series = new RunSeries();
  series.setSmoothing(SMOOTHING);
  const history = { series: { [METRIC]: answered(kept) }, mean_episodes: 100 };
  series.load(history, undefined, SMOOTHING);
  return series;
}

test("live rows of a thinned curve continue the average over all its points", () => {
  const series = loaded([0, 70, 149]);
  live(series, 150);
  const found = smoothed(series);
  for (const i of [0, 70, 149, 150, 199]) expect(found.get(i)).toBeCloseTo(exact[i]!, 9);
  expect(series.lacksSmoothing).toBe(false);
});

test("a zoom shows the same smoothed values including live rows", () => {
  const series = loaded([0, 70, 149]);
  series.loadDetail([100, 300], {
    series: { [METRIC]: answered(Array.from({ length: 50 }, (_, i) => 100 + i)) },
  });
  live(series, 150);
  const found = smoothed(series, [120, 250]);
  for (const i of [100, 123, 149, 150, 199]) expect(found.get(i)).toBeCloseTo(exact[i]!, 9);
});

test("thinning in the browser keeps smoothed values", () => {
  const column = new Column({ smoothing: SMOOTHING, capacity: 100 });
  values.forEach((value, i) => column.push(i, value));
  expect(column.isThinned).toBe(true);
  expect(column.isSmoothedExactly).toBe(true);
  for (let i = 0; i < column.length; i += 1) {
    expect(column.smoothed[i]).toBeCloseTo(exact[column.x[i]!]!, 9);
  }
});

test("the values are the same on every axis", () => {
  const series = new RunSeries();
  series.setSmoothing(SMOOTHING);
  const all = values.map((_, i) => i);
  const curve = { x: all.map((i) => i * i * 0.25), y: values, count: values.length };
  series.load({ x: "seconds", series: { [METRIC]: curve }, mean_episodes: 100 });
  expect([...smoothed(series).values()].at(-1)).toBeCloseTo(exact.at(-1)!, 9);
});

test("another smoothing is exact immediately if every point is available", () => {
  const series = new RunSeries();
  live(series, 0);
  expect(smoothed(series).get(50)).toBe(values[50]);
  const { revision } = series;
  series.setSmoothing(SMOOTHING);
  expect(series.revision).toBe(revision + 1);
  expect(smoothed(series).get(50)).toBeCloseTo(exact[50]!, 9);
  expect(series.lacksSmoothing).toBe(false);
});

test("with missing points another smoothing is incomplete until it is reloaded", () => {
  const series = loaded([0, 70, 149]);
  series.setSmoothing(0.5);
  expect(series.lacksSmoothing).toBe(true);
  series.setSmoothing(0);
  expect(series.lacksSmoothing).toBe(false);
  expect(smoothed(series).get(70)).toBe(values[70]);
});
