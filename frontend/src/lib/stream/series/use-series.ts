"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { RunSeries } from "./run-series";

/**
 * What `read` makes of a run's series, updated live. It is read again whenever `key` says something else, and not for
 * every row that arrives: whatever `read` depends on must be in the key.
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
