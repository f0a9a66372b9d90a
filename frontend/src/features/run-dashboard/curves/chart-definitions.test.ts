import { expect, test } from "vitest";
import { RunSeries } from "@/lib/stream";
import { selectCharts, chartOf, metricChart } from "./chart-definitions";

const PPO = ["train/entropy_loss", "train/approx_kl", "train/value_loss", "train/loss"];

test("charts stand in reading order, before there is anything to draw", () => {
  expect(selectCharts(PPO, [])).toEqual({
    main: ["train/entropy_loss", "train/approx_kl", "train/value_loss"],
    more: [],
  });
});

test("every metric that was logged is shown once", () => {
  const found = ["episode/reward", "train/loss", "time/fps", "own/thing", "train/approx_kl"];
  const { main, more } = selectCharts(PPO, found);
  expect(more).toEqual(["own/thing", "time/fps", "train/loss"]);
  expect(main.filter((name) => more.includes(name))).toEqual([]);
});

test("where there is no other, the loss is the chart", () => {
  expect(selectCharts([], ["train/loss"]).main).toEqual(["train/loss"]);
});

test("a metric is found in the chart that shows it", () => {
  const source = new RunSeries();
  const specs = [metricChart(source, "train/approx_kl", ""), metricChart(source, "own/thing", "")];
  expect(chartOf(specs, "own/thing")?.title).toBe("own/thing");
  expect(chartOf(specs, "nothing")).toBeUndefined();
  expect(metricChart(source, "train/entropy_loss", "").series[0]!.negate).toBe(true);
});
