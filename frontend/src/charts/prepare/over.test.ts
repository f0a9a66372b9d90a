import { expect, test } from "vitest";
import { captionOf, chartCsv } from "../export";
import { HeldSource } from "../held-source";
import { plainOptions, smallChart } from "./fixtures";
import { prepare } from "./prepare";
import { labelAt, readoutAt, sentenceAt } from "./readout";

/** Of five seeds, three of which end after step 10, and all by 20. */
function chart() {
  const source = new HeldSource();
  source.load("step", [0, 10, 20, 30], { iqm: [3, 5, 6, null], count: [5, 5, 2, 0] });
  const series = {
    ...{ id: "g", source, metric: "iqm", label: "PPO", color: "series-1", mode: "line" as const },
    over: { metric: "count", all: 5, one: "seed" as const },
  };
  return { ...smallChart(), series: [series] };
}

test("says how many seeds the value covers", () => {
  const spec = chart();
  const model = prepare(spec, plainOptions);
  const label = (at: number) => labelAt(spec.series[0]!, readoutAt(model.curves[0]!, at).over);
  expect([-1, 0, 10, 19].map(label)).toEqual(Array(4).fill("PPO, IQM of 5 seeds"));
  expect([20, 29].map(label)).toEqual(Array(2).fill("PPO, IQM of 2 of 5 seeds"));
  expect(label(30)).toBe("PPO, IQM of 5 seeds"); // where none has a value there is none to speak of
  expect(sentenceAt(spec, model, 20, new Set())).toMatch(/PPO, IQM of 2 of 5 seeds 6/);
});

test("a single seed has no mean", () => {
  const [group] = chart().series;
  expect(labelAt(group!, 1)).toBe("PPO, 1 of 5 seeds");
  const alone = { ...group!, over: { ...group!.over!, all: 1 } };
  expect([labelAt(alone, 1), labelAt(alone)]).toEqual(Array(2).fill("PPO, 1 seed"));
});

test("an export of the whole chart names all seeds", () => {
  const spec = chart();
  const model = prepare(spec, plainOptions);
  expect(captionOf(spec, model, plainOptions).entries[0]!.label).toBe("PPO, IQM of 5 seeds");
  expect(chartCsv(spec, plainOptions)).toContain("PPO, IQM of 5 seeds");
});

test("a curve that ends early shows its last value and its number of seeds", () => {
  const spec = chart();
  (spec.series[0]!.source as HeldSource).loadCurve("step", [0, 10, 20, 30], {
    ...{ iqm: [null, 5, 6, null], count: [0, 5, 2, 0] },
  });
  const [curve] = prepare(spec, plainOptions).curves;
  expect([0, 10, 20, 30, Infinity].map((at) => readoutAt(curve!, at).raw)).toEqual([
    null,
    5,
    6,
    6,
    6,
  ]);
  expect(labelAt(spec.series[0]!, readoutAt(curve!, Infinity).over)).toBe(
    "PPO, IQM of 2 of 5 seeds",
  );
});
