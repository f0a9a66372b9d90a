"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { RunSeries } from "@/lib/stream";
import { type SeriesTraits, seriesTraits } from "./series-traits";

/** Traits of a run's series: the same object until a trait changes, however many rows arrive. */
export function useSeriesTraits(series: RunSeries): SeriesTraits {
  const key = useSyncExternalStore(
    series.subscribe,
    () => keyOf(series),
    () => keyOf(series),
  );
  return useMemo(() => {
    const [constant, straight, lengthTells] = JSON.parse(key) as [string[], string[], boolean];
    return { constant: new Set(constant), straight: new Set(straight), lengthTells };
  }, [key]);
}

/** Cached, since computing them reads every value, and React renders more often than rows arrive. */
const keys = new WeakMap<RunSeries, { revision: number; key: string }>();

function keyOf(series: RunSeries): string {
  const known = keys.get(series);
  if (known?.revision === series.revision) return known.key;
  const { constant, straight, lengthTells } = seriesTraits(series);
  const key = JSON.stringify([[...constant], [...straight], lengthTells]);
  keys.set(series, { revision: series.revision, key });
  return key;
}
