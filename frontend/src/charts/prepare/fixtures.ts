import { RunSeries } from "@/stream/series/run-series";
import type { ChartSpec, PrepareOptions } from "./model";

export const plainOptions: PrepareOptions = {
  ...{ smoothing: 0, log: false, outliers: false },
  ...{ window: null, width: 800, height: 200, hidden: new Set<string>() },
};

/** One series with the points 5, -3 and a gap, at the steps 10, 20 and 30. */
export function smallChart(label = "Episode"): ChartSpec {
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
