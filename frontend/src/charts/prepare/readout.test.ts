import { expect, test } from "vitest";
import type { RunSeries } from "@/stream/series/run-series";
import { plainOptions, smallChart } from "./fixtures";
import { prepare } from "./prepare";
import { readIndex, readoutAt, sentenceAt } from "./readout";

test("the readout shows the newest value up to the cursor, and none before the first", () => {
  const [curve] = prepare(smallChart(), plainOptions).curves;
  expect([9, 10, 19, 20, 30].map((x) => readoutAt(curve!, x).raw)).toEqual([null, 5, 5, -3, null]);
});

test("a mark is placed on the value that is read, whatever other series have in between", () => {
  const other = smallChart();
  const shifted = other.series[0]!.source as RunSeries;
  shifted.append([{ seq: 3, time: 3, step: 35, values: { "a/b": 7 } }]);
  const chart = smallChart();
  const spec = { ...chart, series: [...chart.series, { ...other.series[0]!, id: "b" }] };
  const { curves, data } = prepare(spec, plainOptions);
  curves.forEach((curve, i) => {
    for (const x of [9, 10, 14, 19, 20, 29, 30, 34, 35, 40]) {
      const at = readIndex(data, 1 + 2 * i, x);
      const { raw } = readoutAt(curve, x);
      expect(at === null ? null : data[1 + 2 * i]![at], `${i} at ${x}`).toBe(raw);
      if (at !== null) expect(data[0][at]).toBeLessThanOrEqual(x);
    }
  });
});

test("the readout is a sentence", () => {
  const spec = smallChart();
  const model = prepare(spec, plainOptions);
  expect(sentenceAt(spec, model, 20, new Set())).toBe("step 20: Episode -3.00");
  (spec.series[0]!.source as RunSeries).setSmoothing(0.99);
  const smoothed = prepare(spec, { ...plainOptions, smoothing: 0.99 });
  expect(sentenceAt(spec, smoothed, 20, new Set())).toMatch(
    /^step 20: Episode -3\.00, smoothed 0\.9799$/,
  );
});
