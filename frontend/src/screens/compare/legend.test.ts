import { expect, test } from "vitest";
import { MetricRegistry } from "@/api/metric-registry";
import type { FigureComparison, GroupFigure, MetricInfo } from "@/api/types";
import { sharedMetrics } from "./curves";
import { aRun, compared, comparison } from "./fixtures";
import { legendRows, sortedRows } from "./legend";
import { pairOfCompleted } from "./run-picker";
import { comparedColumns, comparedGroups, seriesStylesOf } from "./series-styles";

const made = { definition: "", n: 3, resamples: null, confidence: null, source: "" };
const ofSeeds: GroupFigure = { value: 376, low: 376, high: 376, count: 2, seeds: 2, made };
const final = {
  ...{ id: "final_moving_average", title: "Final return", note: "", unit: "", better: "high" },
  ...{ values: { a: 376, b: 375, c: 184 }, best: "c", reason: "", groups: { g: ofSeeds } },
} as FigureComparison;

const runs = [
  aRun("a", { group_id: "g", seed: 1, step: 50 }),
  aRun("b", { group_id: "g", seed: 2, step: 60 }),
  aRun("c", { group_id: "c", seed: 1, status: "stopped" }),
];
const solved = { step: 1, seconds: 12.34, by: "training" as const, threshold: 475 };
const found = comparison(
  [
    compared("a", 376, { threshold: 475, solved }),
    compared("b", 375, { threshold: 475, solved: null }),
    compared("c", 184, { threshold: 475, solved }),
  ],
  { figures: [final] },
);
const columnsOf = (groups: ReturnType<typeof comparedGroups>) =>
  comparedColumns(
    runs.map((run) => ({ run })),
    groups,
  );

test("seeds are one row with their interval, and a single run says in what it is best", () => {
  const [group, run] = legendRows(columnsOf(comparedGroups(runs)), runs, found);
  expect(group).toMatchObject({
    ...{ id: "group g", isGroup: true, value: 376, interval: "[376.0, 376.0]", seeds: 2 },
    ...{ step: 60, values: [376, 375], solvedText: "1 of 2 seeds", bestIn: [] },
  });
  expect(run).toMatchObject({
    ...{ id: "c", isGroup: false, value: 184, interval: "", seeds: null },
    ...{ solvedText: "12.3 s", bestIn: ["Final return"] },
  });
});

test("before the figures arrive, rows have no values", () => {
  const rows = legendRows(columnsOf([]), runs, undefined);
  expect(rows.map(({ id, value, solvedText }) => [id, value, solvedText])).toEqual([
    ["a", null, "–"],
    ["b", null, "–"],
    ["c", null, "–"],
  ]);
});

test("rows are sorted best first, with missing values last", () => {
  const rows = legendRows(columnsOf([]), runs, found);
  const ids = (by: Parameters<typeof sortedRows>[1]) => sortedRows(rows, by).map(({ id }) => id);
  expect(ids("value")).toEqual(["a", "b", "c"]);
  expect(ids("solved")).toEqual(["a", "c", "b"]);
  expect(ids("step")).toEqual(["c", "b", "a"]);
  expect(ids(null)).toEqual(["a", "b", "c"]);
});

test("the seeds of a group share a colour and a dash", () => {
  const styles = seriesStylesOf(runs, "run", comparedGroups(runs));
  expect(styles.get("a")).toEqual(styles.get("b"));
  expect(styles.get("c")).not.toEqual(styles.get("a"));
});

const metric = (name: string, change: Partial<MetricInfo> = {}) =>
  ({
    name,
    label: name,
    group: "episodes",
    place: "detail",
    kind: "measured",
    ...change,
  }) as MetricInfo;

const registry = new MetricRegistry({
  ...{ mean_episodes: 100, average_episodes: 20, groups: [{ id: "episodes", title: "Episodes" }] },
  metrics: [
    metric("episode/reward", { place: "return" }),
    metric("rollout/ep_rew_mean", { place: "return" }),
    metric("train/rate"),
    metric("episode/length", { place: "length" }),
    metric("train/kl", { place: "headline" }),
    metric("time/steps", { kind: "count" }),
  ],
});

test("shared metrics are drawn, headlines first; metrics of one line and duplicates come second", () => {
  const both = ["episode/reward", "episode/length", "rollout/ep_rew_mean", "train/rate"];
  const logged = [[...both, "train/kl", "time/steps"], both];
  expect(sharedMetrics(registry, logged, null)).toEqual({
    main: ["episode/reward", "episode/length", "train/rate"],
    more: ["rollout/ep_rew_mean", "train/kl"],
  });
  expect(sharedMetrics(registry, logged, ["train/kl"])).toEqual({ main: ["train/kl"], more: [] });
});

test("two completed runs of one environment are suggested, with different settings rather than seeds", () => {
  const ids = (...of: Parameters<typeof aRun>[]) =>
    pairOfCompleted(of.map(([id, change]) => aRun(id, { group_id: id, ...change })))?.map(
      ({ id }) => id,
    );
  expect(ids(["a", { status: "running" }], ["b"], ["x", { env_id: "Other" }], ["c"])).toEqual([
    "b",
    "c",
  ]);
  expect(ids(["a", { group_id: "g" }], ["b", { group_id: "g" }], ["c"])).toEqual(["a", "c"]);
  expect(ids(["a", { group_id: "g" }], ["b", { group_id: "g" }])).toEqual(["a", "b"]);
  expect(ids(["a"], ["x", { env_id: "Other" }])).toBeUndefined();
});
