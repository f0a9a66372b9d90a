import { expect, test } from "vitest";
import { MEAN_RETURN, RunSeries } from "./run-series";

const REWARD = "episode/reward";
const LOGGED = "rollout/ep_rew_mean";
const HUNDRED = { mean_episodes: 100 };

const episode = (index: number, reward: number | null) => ({
  ...{ seq: index, time: index, step: index * 10 },
  values: { [REWARD]: reward, "episode/index": index },
});
const held = (series: RunSeries) => {
  const { x, y, length } = series.column(MEAN_RETURN);
  return Array.from({ length }, (_, i) => [x[i], y[i]]);
};

test("the mean exists from the first episode on and covers at most the last 100", () => {
  const series = new RunSeries();
  series.load({ ...HUNDRED, series: {} });
  series.append([episode(1, 5), episode(2, 10)]);
  expect(held(series)).toEqual([
    [10, 5],
    [20, 7.5],
  ]);
  series.append(Array.from({ length: 100 }, (_, i) => episode(i + 3, 50)));
  expect(held(series).at(-1)).toEqual([1020, 50]);
});

test("live episodes continue the history", () => {
  const series = new RunSeries();
  series.load({ ...HUNDRED, series: { [REWARD]: { x: [10, 20], y: [1, 3], count: 2 } } });
  series.append([episode(3, 8)]);
  expect(held(series).map(([, y]) => y)).toEqual([1, 2, 4]);
});

test("the means of a fork continue from the episodes before it", () => {
  const series = new RunSeries();
  series.load({
    ...HUNDRED,
    series: {},
    before: { returns: [1, null, 3], lengths: [4, 4, 4] },
  });
  series.append([episode(4, 5)]);
  expect(held(series)).toEqual([[40, NaN]]);
  series.load({
    ...HUNDRED,
    series: { [REWARD]: { x: [40], y: [5], count: 1 } },
    before: { returns: [1, 3], lengths: [4, 4] },
  });
  series.append([episode(5, 11)]);
  expect(held(series).map(([, y]) => y)).toEqual([3, 5]);
});

test("a run that logs means without episodes uses its logged means", () => {
  const series = new RunSeries();
  series.load({ ...HUNDRED, series: { [LOGGED]: { x: [100, 200], y: [7, null], count: 2 } } });
  series.append([{ seq: 3, time: 3, step: 300, values: { [LOGGED]: 9 } }]);
  expect(held(series)).toEqual([
    [100, 7],
    [200, NaN],
    [300, 9],
  ]);
});

test("logged means are ignored if episodes are available", () => {
  const series = new RunSeries();
  series.append([episode(1, 5), { seq: 2, time: 2, step: 12, values: { [LOGGED]: 80 } }]);
  expect(held(series)).toEqual([[10, 5]]);
});

test("an unknown return makes a gap", () => {
  const series = new RunSeries();
  series.append([episode(1, 5), episode(2, null)]);
  expect(held(series)[1]).toEqual([20, NaN]);
});

test("with thinned episodes the logged means are used and the newest is made exact", () => {
  const series = new RunSeries();
  series.load({
    ...HUNDRED,
    series: {
      [REWARD]: { x: [10, 50_000], y: [1, 90], count: 5_000 },
      [LOGGED]: { x: [20_000, 50_010], y: [40, 60], count: 2 },
    },
  });
  expect(held(series)).toEqual([[20_000, 40]]);
  expect(series.lacksNewest).toBe(true);
  series.append([episode(5_001, 160)]);
  expect(held(series)).toHaveLength(1);

  const newest = Array.from({ length: 100 }, (_, i) => 4_901 + i);
  series.loadNewest({
    series: { [REWARD]: { x: newest, y: newest.map(() => 60), count: 100 } },
  });
  expect(series.lacksNewest).toBe(false);
  expect(held(series).at(-1)).toEqual([50_010, 61]);
  series.append([episode(5_002, 160)]);
  expect(held(series).at(-1)![1]).toBe(62);
});
