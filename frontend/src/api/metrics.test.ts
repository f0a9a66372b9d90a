import { expect, test } from "vitest";
import { MetricRegistry } from "./metric-registry";
import type { MetricInfo } from "./types";

const metric = (name: string, group: MetricInfo["group"]) =>
  ({ name, label: name.toUpperCase(), group }) as MetricInfo;

const registry = new MetricRegistry({
  mean_episodes: 100,
  average_episodes: 20,
  groups: [
    { id: "policy", title: "Policy updates" },
    { id: "value", title: "Value estimates" },
    { id: "time", title: "Speed" },
  ],
  metrics: [metric("z", "value"), metric("a", "policy"), metric("m", "value")],
});

test("metrics are in reading order, with unknown ones last by name", () => {
  expect(registry.sorted(["own/b", "a", "own/a", "z"])).toEqual(["z", "a", "own/a", "own/b"]);
});

test("an unknown metric is shown under its logged name, like a measured one", () => {
  expect(registry.get("own/thing")).toMatchObject({
    label: "own/thing",
    kind: "measured",
    place: "detail",
  });
  expect(registry.get("a").label).toBe("A");
});

test("groups are in order, without empty ones", () => {
  expect(
    registry
      .grouped(({ name }) => name !== "z")
      .map(({ title, metrics }) => [title, metrics.length]),
  ).toEqual([
    ["Policy updates", 1],
    ["Value estimates", 1],
  ]);
});
