"use client";

import type { RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";
import { type SeriesTraits, seriesTraits } from "./series-traits";

/** Traits of a run's series: the same object until a trait changes, however many rows arrive. */
export function useSeriesTraits(series: RunSeries): SeriesTraits {
  return useSeries(series, keyOf, seriesTraits);
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
