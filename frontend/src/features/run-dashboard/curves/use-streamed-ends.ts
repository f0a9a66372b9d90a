"use client";

import type { RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";

/** The first and the newest value of a metric, updated live. */
export function useStreamedEnds(
  series: RunSeries,
  metric: string,
): readonly [first: number | null, last: number | null] {
  return useSeries(
    series,
    () => `${metric} ${series.column(metric).version}`,
    () => {
      const column = series.column(metric);
      const first = column.y.subarray(0, column.length).find((value) => !Number.isNaN(value));
      return [first ?? null, column.latest()] as const;
    },
  );
}
