"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { RunSeries } from "@/lib/stream";

/** The points of a metric that has few of them, updated live. */
export function usePoints(series: RunSeries, metric: string): readonly [x: number, y: number][] {
  // Changes when points are added or loaded again.
  const read = () => {
    const { version, x } = series.column(metric);
    return `${series.axis} ${version} ${x[0] ?? ""}`;
  };
  const key = useSyncExternalStore(series.subscribe, read, read);
  return useMemo(() => {
    const { x, y, length } = series.column(metric);
    const points = Array.from({ length }, (_, i): [number, number] => [x[i]!, y[i]!]);
    return points.filter(([, value]) => !Number.isNaN(value));
    // `key` stands for the values of the column.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [series, metric, key]);
}
