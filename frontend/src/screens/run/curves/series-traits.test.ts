import { expect, test } from "vitest";
import { RunSeries } from "@/stream/series/run-series";
import { seriesTraits } from "./chart-specs";

function run(...episodes: [reward: number, length: number][]) {
  const series = new RunSeries();
  series.append(
    episodes.map(([reward, length], i) => ({
      ...{ seq: i, time: i, step: i },
      values: { "episode/reward": reward, "episode/length": length, "train/learning_rate": 0.1 },
    })),
  );
  return series;
}

test.each([
  ["each step pays 1", run([10, 10], [20, 20], [500, 500]), false],
  ["each step costs 1, but not the last", run([-500, 500], [-99, 100], [-80, 81]), false],
  ["there are hardly any episodes", run([1, 10]), false],
  ["the end decides", run([1, 10], [0, 100], [1, 30]), true],
])("whether lengths are more informative than returns if %s", (_, series, tells) => {
  expect(seriesTraits(series).lengthTells).toBe(tells);
});

test("a schedule that falls evenly is straight, a measured value is not", () => {
  const series = new RunSeries();
  series.append(
    [1, 0.7, 0.4].map((rate, i) => ({
      ...{ seq: i, time: i, step: i * 100 },
      values: { "train/learning_rate": rate, "train/loss": rate * rate },
    })),
  );
  expect([...seriesTraits(series).straight]).toEqual(["train/learning_rate"]);
});

test("a metric is constant until it has had two values", () => {
  expect([...seriesTraits(run([1, 5], [2, 5])).constant]).toEqual([
    "episode/length",
    "train/learning_rate",
  ]);
});
