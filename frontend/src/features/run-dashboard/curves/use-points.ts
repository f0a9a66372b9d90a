"use client";

import type { RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";

/** The points of a metric that has few of them, updated live. */
export function usePoints(series: RunSeries, metric: string): readonly [x: number, y: number][] {
  return useSeries(
    series,
    () => {
      const { version, x } = series.column(metric); // changes when points are added or loaded again
      return `${metric} ${series.axis} ${version} ${x[0] ?? ""}`;
    },
    () => {
      const { x, y, length } = series.column(metric);
      const points = Array.from({ length }, (_, i): [number, number] => [x[i]!, y[i]!]);
      return points.filter(([, value]) => !Number.isNaN(value));
    },
  );
}
