import { expect, test } from "vitest";
import { MetricRegistry } from "@/api/metric-registry";
import type { MetricInfo } from "@/api/types";
import { metricChoices } from "./curves";

const metric = (name: string, group: string, change: Partial<MetricInfo> = {}) =>
  ({ name, label: name, group, place: "detail", kind: "measured", ...change }) as MetricInfo;

const registry = new MetricRegistry({
  mean_episodes: 100,
  average_episodes: 20,
  groups: [
    { id: "value", title: "Value estimates" },
    { id: "time", title: "Speed" },
  ],
  metrics: [
    metric("train/loss", "value"),
    metric("train/q", "value"),
    metric("time/steps", "time", { kind: "count" }),
  ],
});

test("exactly the logged metrics can be chosen", () => {
  const groups = metricChoices(registry, ["own/wind", "train/loss", "time/steps"]);
  expect(groups.map(({ title, metrics }) => [title, metrics.map(({ name }) => name)])).toEqual([
    ["Value estimates", ["train/loss"]],
    ["Not known to the app", ["own/wind"]],
  ]);
});
