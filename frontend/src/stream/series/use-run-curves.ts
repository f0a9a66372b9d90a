"use client";

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { browserTimers } from "@/lib/time";
import { useStore } from "@/lib/use-store";
import { useEventStream } from "../provider";
import type { MetricAxis } from "./axis";
import type { RunSeries } from "./run-series";
import { type FollowedRun, type RunCurves, RunSeriesPool } from "./run-series-pool";

interface FollowOptions {
  axis?: MetricAxis;
  /** Smoothing of the moving average that the charts show. */
  smoothing?: number;
  /** Metrics to hold, read only once; null for all. */
  names?: readonly string[] | null;
}

/**
 * The live metrics of some runs, by id. The set may change; hand the pool's `zoom` to a chart group so
 * that a zoom fetches what was thinned away.
 */
export function useRunCurves(
  runs: readonly FollowedRun[],
  { axis = "step", smoothing = 0, names = null }: FollowOptions = {},
): { pool: RunSeriesPool; curves: (id: string) => RunCurves } {
  const stream = useEventStream();
  const [pool] = useState(() => new RunSeriesPool(stream, names, browserTimers));
  useStore(pool.version);

  const key = JSON.stringify(
    runs.map(({ id, ended_at, attempts, superseded }) => ({ id, ended_at, attempts, superseded })),
  );
  // External system: the event stream and the service's history of the runs.
  useEffect(() => {
    pool.follow(JSON.parse(key) as FollowedRun[], { axis, smoothing });
  }, [pool, key, axis, smoothing]);
  useEffect(() => () => pool.stop(), [pool]);

  return { pool, curves: (id) => pool.curves(id) };
}

/** The metrics found so far, in the order in which they were first seen. */
export function useMetricNames(series: RunSeries): readonly string[] {
  return useStore(series.names);
}

/**
 * The result of `read` for a run's series, updated live. It is computed again whenever `key` changes, not for every new
 * row: everything that `read` depends on must be in the key.
 */
export function useSeries<T>(
  series: RunSeries,
  key: (series: RunSeries) => string | number | null,
  read: (series: RunSeries) => T,
): T {
  const now = () => key(series);
  const known = useSyncExternalStore(series.subscribe, now, now);
  // `known` stands for all that `read` depends on.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => read(series), [series, known]);
}
