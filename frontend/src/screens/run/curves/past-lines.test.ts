import { expect, test } from "vitest";
import type { RunPast } from "@/api/types";
import { rewardChart } from "@/charts/prepare/learning-curves";
import { RunSeries } from "@/stream/series/run-series";
import { pastLines, withPast } from "./past";

const curve = (...y: number[]) => ({ x: y.map((_, i) => i * 10), y, count: y.length });
const past: RunPast = {
  ...{ run_id: "a", x: "step", ghosts_left_out: 0, mean_episodes: 100 },
  ghosts: [
    {
      ...{ attempt: 2, cause: "rollback", from_step: 0, to_step: 10 },
      series: { "rollout/ep_rew_mean": curve(1, 2), "episode/reward": curve(5) },
    },
  ],
  ancestors: [{ run_id: "p", name: "P", to_step: 10, series: { "episode/reward": curve(3, 4) } }],
};
const spec = rewardChart(
  new RunSeries(),
  { threshold: null, random: null },
  { title: "Return", evaluated: null },
);

test("past lines of a metric are drawn behind it and counted in no figure", () => {
  const charted = withPast(spec, pastLines(past));
  expect(charted.series).toBe(spec.series);
  expect(charted.context?.map(({ label, metric }) => [label, metric])).toEqual([
    ["Parent, up to the fork", "episode/reward"],
    ["Left behind", "episode/reward"],
  ]);
});

test("a chart without past lines is unchanged", () => {
  expect(withPast(spec, pastLines({ ...past, ghosts: [], ancestors: [] }))).toBe(spec);
  const other = { ...spec, series: [{ ...spec.series[0]!, metric: "train/loss" }] };
  expect(withPast(other, pastLines(past))).toBe(other);
});
