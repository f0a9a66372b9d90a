"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { fetchMetricHistory } from "@/lib/api";
import type { ConnectionState } from "./events";
import { type FeedState, RunFeed } from "./feed";
import { browserTimers, useHub } from "./provider";
import { RunSeries } from "./run-series";

const HISTORY_POINTS = 2000;

export function useConnectionState(): ConnectionState {
  const hub = useHub();
  return useSyncExternalStore(hub.onState, hub.getState, () => "connecting");
}

/**
 * The live metrics of a run. `names` is read once: a component that wants others needs another `key`.
 */
export function useRunSeries(runId: string, names: readonly string[]): [RunSeries, FeedState] {
  const hub = useHub();
  const [{ series, feed }] = useState(() => {
    const series = new RunSeries(names);
    const history = (signal: AbortSignal) =>
      fetchMetricHistory(runId, names, HISTORY_POINTS, signal);
    return { series, feed: new RunFeed({ runId, series, hub, history, timers: browserTimers }) };
  });

  // External system: the run's metrics at the service.
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);

  const state = useSyncExternalStore(feed.onState, feed.getState, feed.getState);
  return [series, state];
}
