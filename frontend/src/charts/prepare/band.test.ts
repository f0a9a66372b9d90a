import { expect, test } from "vitest";
import { HeldSource } from "../held-source";
import { plainOptions, smallChart } from "./fixtures";
import { prepare } from "./prepare";
import { readoutAt } from "./readout";

test("draws an interval as a band behind the series and makes room for it", () => {
  const source = new HeldSource();
  source.load("step", [10, 20], { iqm: [5, 6], low: [4, null], high: [9, null] });
  const group = {
    ...{ id: "g", source, metric: "iqm", label: "G", color: "series-1" },
    ...{ mode: "line" as const, band: { low: "low", high: "high" } },
  };
  const spec = { ...smallChart(), series: [group], context: [{ ...group, id: "behind" }] };
  const model = prepare(spec, plainOptions);
  const [, ...ys] = model.data;
  expect(ys).toEqual([
    [5, 6],
    [9, null],
    [4, null],
    [5, 6],
    [5, 6],
    [9, null],
    [4, null],
  ]);
  expect(model.y[1]).toBeGreaterThan(9);
  source.load("step", [10], { iqm: [7], low: [7], high: [8] });
  expect(readoutAt(prepare(spec, plainOptions).curves[0]!, 10).band).toEqual([7, 8]);
});
