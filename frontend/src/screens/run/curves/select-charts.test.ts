import { expect, test } from "vitest";
import { MetricRegistry } from "@/api/metric-registry";
import type { MetricInfo } from "@/api/types";
import { RunSeries } from "@/stream/series/run-series";
import { type ChartedMetrics, chartOf, metricChart, selectCharts } from "./chart-specs";

const metric = (name: string, change: Partial<MetricInfo> = {}): MetricInfo => ({
  ...{ name, label: name.split("/")[1]!, help: "What it is.", unit: "", group: "value" },
  ...{ kind: "measured", place: "headline", superseded_by: null, negate: false },
  ...{ log_scale: false, minimum: null, maximum: null, algorithms: [] },
  ...change,
});

const registry = new MetricRegistry({
  mean_episodes: 100,
  average_episodes: 20,
  groups: [],
  metrics: [
    metric("episode/reward", { place: "return" }),
    metric("rollout/exploration_rate", { kind: "schedule" }),
    metric("train/entropy_loss", { negate: true, label: "Entropy" }),
    metric("train/approx_kl"),
    metric("train/value_loss"),
    metric("train/loss", { superseded_by: "train/value_loss" }),
    metric("train/learning_rate", { kind: "schedule", place: "detail" }),
    metric("train/n_updates", { kind: "count", place: "detail" }),
    metric("time/fps", { place: "detail" }),
    metric("time/total_timesteps", { kind: "count", place: "none" }),
  ],
});

const PPO = ["train/value_loss", "train/loss", "train/entropy_loss", "train/approx_kl"];
const select = (charted: Partial<ChartedMetrics>) =>
  selectCharts(registry, {
    ...{ expected: [], found: [], constant: new Set(), straight: new Set() },
    ...charted,
  });

test("charts are in reading order before there is data", () => {
  expect(select({ expected: PPO })).toEqual({
    main: ["train/entropy_loss", "train/approx_kl", "train/value_loss"],
    more: [],
    figures: [],
  });
});

test("every metric that was logged is shown once", () => {
  const found = ["episode/reward", "own/thing", "time/fps", "time/total_timesteps", ...PPO];
  const { main, more } = select({ expected: PPO, found });
  expect(more).toEqual(["train/loss", "time/fps", "own/thing"]);
  expect(main.filter((name) => more.includes(name))).toEqual([]);
});

test("without other charts the loss is shown", () => {
  expect(select({ found: ["train/loss"] }).main).toEqual(["train/loss"]);
});

test("a constant metric is a figure, unless it is a moving schedule", () => {
  const found = [
    ...["rollout/exploration_rate", "train/learning_rate", "train/n_updates"],
    ...["train/approx_kl", "own/thing"],
  ];
  expect(select({ found, constant: new Set(["train/learning_rate", "own/thing"]) })).toEqual({
    main: ["rollout/exploration_rate", "train/approx_kl"],
    more: [],
    figures: ["train/learning_rate", "train/n_updates", "own/thing"],
  });
  const moving = ["train/learning_rate", "rollout/exploration_rate"];
  expect(select({ found: moving }).more).toEqual(["train/learning_rate"]);
  expect(select({ found: moving, straight: new Set(moving) })).toEqual({
    main: ["rollout/exploration_rate"],
    more: [],
    figures: ["train/learning_rate"],
  });
});

test("a metric is found in its chart", () => {
  const source = new RunSeries();
  const chart = (name: string) => metricChart(registry, source, name, "");
  const specs = [chart("train/approx_kl"), chart("own/thing")];
  expect(chartOf(specs, "own/thing")?.title).toBe("own/thing");
  expect(chartOf(specs, "nothing")).toBeUndefined();
});

test("a chart uses the texts of the registry", () => {
  const source = new RunSeries();
  expect(metricChart(registry, source, "train/entropy_loss", "")).toMatchObject({
    title: "Entropy",
    help: "What it is.",
    series: [{ negate: true, smooth: true }],
  });
  expect(metricChart(registry, source, "train/approx_kl", "").help).toBe(
    "What it is. Logged as train/approx_kl.",
  );
  const rate = metricChart(registry, source, "train/learning_rate", "");
  expect(rate.series[0]!.smooth).toBe(false);
});
