import { expect, test } from "vitest";
import { chartCsv } from "./export";
import { plainOptions, smallChart } from "./prepare/fixtures";

test("points in the window are written as logged, with a gap as an empty cell", () => {
  expect(chartCsv(smallChart("=run"), plainOptions).trim().split("\r\n")).toEqual([
    "series,metric,x_axis,x,value,value (no smoothing)",
    "'=run,a/b,step,10,5,5",
    "'=run,a/b,step,20,-3,-3",
    "'=run,a/b,step,30,,",
  ]);
  expect(
    chartCsv(smallChart(), { ...plainOptions, window: [15, 25] })
      .trim()
      .split("\r\n"),
  ).toHaveLength(2);
  // Its edges belong to it.
  expect(
    chartCsv(smallChart(), { ...plainOptions, window: [20, 30] })
      .trim()
      .split("\r\n"),
  ).toHaveLength(3);
  expect(
    chartCsv(smallChart(), { ...plainOptions, hidden: new Set(["a"]) })
      .trim()
      .split("\r\n"),
  ).toHaveLength(1);
});
