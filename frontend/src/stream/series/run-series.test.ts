import { expect, test } from "vitest";
import { RunSeries } from "./run-series";

const REWARD = "episode/reward";
const MEAN = "rollout/ep_rew_mean";
const row = (seq: number, step: number, values: Record<string, number | null>) => ({
  seq,
  time: seq,
  step,
  values,
});
const held = (series: RunSeries, name: string) => {
  const { x, y, length } = series.column(name);
  return Array.from({ length }, (_, i) => [x[i], y[i]]);
};

test("live rows continue the history", () => {
  const series = new RunSeries([REWARD, MEAN]);
  series.load({
    mean_episodes: 100,
    series: { [REWARD]: { x: [10, 20], y: [1, null], count: 2 } },
  });
  series.append([row(3, 30, { [REWARD]: 3 }), row(4, 40, { [MEAN]: 2 })]);
  expect(held(series, REWARD)).toEqual([
    [10, 1],
    [20, NaN],
    [30, 3],
  ]);
  expect(held(series, MEAN)).toEqual([[40, 2]]);
});

test("a row without a metric leaves it unchanged", () => {
  const series = new RunSeries([REWARD, MEAN]);
  series.append([row(1, 10, { [REWARD]: 5 })]);
  expect(series.column(MEAN).length).toBe(0);
});

test("metrics that are not drawn are not stored", () => {
  const series = new RunSeries([REWARD]);
  series.append([row(1, 10, { "train/loss": 0.5 })]);
  expect(series.column("train/loss").length).toBe(0);
});

test("every change is a new revision and notifies the listeners", () => {
  const series = new RunSeries([REWARD]);
  let calls = 0;
  const stop = series.subscribe(() => (calls += 1));
  series.append([row(1, 10, { [REWARD]: 5 })]);
  expect([series.revision, calls]).toEqual([1, 1]);
  stop();
  series.append([row(2, 20, { [REWARD]: 6 })]);
  expect([series.revision, calls]).toEqual([2, 1]);
});

test("reloading replaces the stored data", () => {
  const series = new RunSeries([REWARD]);
  series.append([row(1, 10, { [REWARD]: 5 })]);
  series.load({ series: {}, mean_episodes: 100 });
  expect(series.column(REWARD).length).toBe(0);
});
