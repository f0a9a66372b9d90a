"use client";

import { useSyncExternalStore } from "react";
import type { RunSeries } from "@/lib/stream";

/** The newest value of a metric, as it comes. */
export function useStreamedValue(series: RunSeries, metric: string): number | null {
  const read = () => series.column(metric).latest();
  return useSyncExternalStore(series.subscribe, read, read);
}
