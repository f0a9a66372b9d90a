import { expect, test } from "vitest";
import type { RunSeries } from "@/lib/stream";
import { plainOptions, smallChart } from "./fixtures";
import { prepare } from "./prepare";
import { readoutAt, sentenceAt } from "./readout";

test("under the cursor stands the newest value up to there, before the first none", () => {
  const [curve] = prepare(smallChart(), plainOptions).curves;
  expect([9, 10, 19, 20, 30].map((x) => readoutAt(curve!, x).raw)).toEqual([null, 5, 5, -3, null]);
});

test("what stands under the cursor is a sentence", () => {
  const spec = smallChart();
  const model = prepare(spec, plainOptions);
  expect(sentenceAt(spec, model, 20, new Set())).toBe("step 20: Episode -3.00");
  (spec.series[0]!.source as RunSeries).setSmoothing(0.99);
  const smoothed = prepare(spec, { ...plainOptions, smoothing: 0.99 });
  expect(sentenceAt(spec, smoothed, 20, new Set())).toMatch(
    /^step 20: Episode -3\.00, smoothed 0\.9799$/,
  );
});
