import { expect, test } from "vitest";
import type { Relative } from "@/api/types";
import { RunSeries } from "@/stream/series/run-series";
import { childSeries, drawnOf, FORK_METRICS, forksOf, styleAt } from "./children";

const relative = (run_id: string, parent_id: string | null, deleted = false) =>
  ({ run_id, parent_id, deleted }) as Relative;

test("the forks of a run are its own existing ones, newest first", () => {
  const members = [
    relative("run", null),
    relative("old", "run"),
    relative("of-old", "old"),
    relative("gone", "run", true),
    relative("new", "run"),
  ];
  expect(forksOf("run", members).map(({ run_id }) => run_id)).toEqual(["new", "old"]);
});

test("the newest four are drawn, except those that were toggled", () => {
  const ids = ["a", "b", "c", "d", "e"];
  expect(drawnOf(ids, new Set())).toEqual(["a", "b", "c", "d"]);
  expect(drawnOf(ids, new Set(["b", "e"]))).toEqual(["a", "c", "d", "e"]);
});

test("a fork has a line in its own colour with its name", () => {
  const source = new RunSeries();
  expect(
    childSeries({ id: "x", name: "Half" }, source, { color: "series-2", dash: [8, 4] }),
  ).toEqual({
    ...{ id: "fork x", label: "Half", source, metric: "mean/return" },
    ...{ mode: "line", smooth: false, color: "series-2", dash: [8, 4] },
  });
});

test("a fork keeps its colour when more are added, and none has that of the run itself", () => {
  expect(styleAt(0, 1)).toEqual(styleAt(2, 3));
  const colors = Array.from({ length: 8 }, (_, place) => styleAt(place, 8).color);
  expect(new Set(colors).size).toBe(8);
  expect(colors).not.toContain("series-6");
  expect(colors).not.toContain("series-4");
});

test("the loaded metrics of a fork suffice to draw its mean return", () => {
  const source = new RunSeries(FORK_METRICS);
  source.append([{ seq: 0, time: 0, step: 8, values: { "episode/reward": 7 } }]);
  const { metric } = childSeries({ id: "x", name: "Half" }, source, styleAt(0, 1));
  expect(source.column(metric).latest()).toBe(7);
});
