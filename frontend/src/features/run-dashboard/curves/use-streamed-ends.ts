"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { RunSeries } from "@/lib/stream";

/** The first and the newest value of a metric, updated live. */
export function useStreamedEnds(
  series: RunSeries,
  metric: string,
): readonly [first: number | null, last: number | null] {
  const read = () => series.column(metric).version;
  const version = useSyncExternalStore(series.subscribe, read, read);
  return useMemo(() => {
    const column = series.column(metric);
    const first = column.y.subarray(0, column.length).find((value) => !Number.isNaN(value));
    return [first ?? null, column.latest()];
    // `version` stands for the values of the column.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [series, metric, version]);
}
