import { expect, test } from "vitest";
import type { Run, RunPast } from "@/api/types";
import { RunSeries } from "@/stream/series/run-series";
import { ancestorLines, forkAncestors, forksAlone } from "./fork-ancestors";

const REWARD = "episode/reward";
const run = (id: string, parent?: string) =>
  ({ id, parent: parent ? { run_id: parent, snapshot: "20", step: 20 } : null }) as unknown as Run;
const past: RunPast = {
  ...{ run_id: "child", x: "step", ghosts: [], ghosts_left_out: 0, mean_episodes: 100 },
  ancestors: [
    {
      ...{ run_id: "parent", name: "Parent", to_step: 20 },
      series: { [REWARD]: { x: [10, 20], y: [1, 2], count: 2 } },
    },
  ],
};
const line = (id: string, metric: string) => ({
  ...{ id, metric, source: new RunSeries(), label: id, mode: "points" as const },
  ...{ color: "series-2" as const, smooth: true },
});

test("the ancestors of a fork are drawn unless its parent is compared too", () => {
  const ids = (...runs: Run[]) => forksAlone(runs).map(({ id }) => id);
  expect(ids(run("child", "parent"), run("other"))).toEqual(["child"]);
  expect(ids(run("child", "parent"), run("parent"))).toEqual([]);
});

test("ancestors of a fork are drawn behind it in its colour, if they have the metric", () => {
  const [before] = ancestorLines(forkAncestors([past]), [
    line("other", REWARD),
    line("child", REWARD),
  ]);
  expect([before?.color, before?.mode, before?.label]).toEqual([
    "series-2",
    "line",
    "Before the fork",
  ]);
  expect(before?.source.column(REWARD).length).toBe(2);
  expect(ancestorLines(forkAncestors([past]), [line("child", "train/loss")])).toEqual([]);
  expect(ancestorLines(forkAncestors([past]), [line("other", REWARD)])).toEqual([]);
});
