import { expect, test } from "vitest";
import { RunSeries } from "@/lib/stream";
import { csvCell, chartCsv } from "../export/csv";
import type { ChartSpec, PrepareOptions } from "./model";
import { prepare } from "./prepare";
import { readoutAt, sentenceAt } from "./readout";
import {
  DEFAULT_CHART_SETTINGS,
  readChartSettings,
  writeChartSettings,
} from "../settings/chart-settings";

const options: PrepareOptions = {
  ...{ smoothing: 0, log: false, outliers: false },
  ...{ window: null, width: 800, hidden: new Set<string>() },
};

function chart(label = "Episode"): ChartSpec {
  const source = new RunSeries();
  source.append(
    [5, -3, null].map((y, i) => ({ seq: i, time: i, step: (i + 1) * 10, values: { "a/b": y } })),
  );
  const series = {
    id: "a",
    source,
    metric: "a/b",
    label,
    mode: "points" as const,
    color: "series-1",
  };
  return { id: "c", title: "C", series: [series], references: [], empty: "" };
}

test.each([
  ["=1+1", "'=1+1"],
  ["+a", "'+a"],
  ["-a", "'-a"],
  ["@a", "'@a"],
  ["\tx", "'\tx"],
  ['a,"b"', '"a,""b"""'],
  ["=a,b", '"\'=a,b"'],
  [-3, "-3"],
  [null, ""],
])("the cell %j is written %j", (value, text) => expect(csvCell(value)).toBe(text));

test("points are written as they were logged, a gap as an empty cell, only those in the window", () => {
  expect(chartCsv(chart("=run"), options).trim().split("\r\n")).toEqual([
    "series,metric,x_axis,x,value,value (no smoothing)",
    "'=run,a/b,step,10,5,5",
    "'=run,a/b,step,20,-3,-3",
    "'=run,a/b,step,30,,",
  ]);
  expect(
    chartCsv(chart(), { ...options, window: [15, 25] })
      .trim()
      .split("\r\n"),
  ).toHaveLength(2);
  // Its edges belong to it.
  expect(
    chartCsv(chart(), { ...options, window: [20, 30] })
      .trim()
      .split("\r\n"),
  ).toHaveLength(3);
  expect(
    chartCsv(chart(), { ...options, hidden: new Set(["a"]) })
      .trim()
      .split("\r\n"),
  ).toHaveLength(1);
});

test("under the cursor stands the newest value up to there, before the first none", () => {
  const [curve] = prepare(chart(), options).curves;
  expect([9, 10, 19, 20, 30].map((x) => readoutAt(curve!, x).raw)).toEqual([null, 5, 5, -3, null]);
});

test("what stands under the cursor is a sentence", () => {
  const spec = chart();
  const model = prepare(spec, options);
  expect(sentenceAt(spec, model, 20, new Set())).toBe("step 20: Episode -3.00");
  const smoothed = prepare(spec, { ...options, smoothing: 0.99 });
  expect(sentenceAt(spec, smoothed, 20, new Set())).toMatch(
    /^step 20: Episode -3\.00, smoothed -1\.74$/,
  );
});

test.each(["", "smooth=0.6", "x=time&log=1", "smooth=0&x=episode&outliers=1"])(
  "the address %j survives reading and writing",
  (search) => {
    const query = new URLSearchParams();
    writeChartSettings(query, readChartSettings(new URLSearchParams(search)));
    expect(query.toString()).toBe(search);
  },
);

test("settings that make no sense are the default", () => {
  expect(readChartSettings(new URLSearchParams("smooth=x&x=miles&log=yes"))).toEqual(
    DEFAULT_CHART_SETTINGS,
  );
  expect(readChartSettings(new URLSearchParams("smooth=7")).smoothing).toBe(0.99);
});
