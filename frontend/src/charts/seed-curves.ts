"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { seedCurvesQuery } from "@/api/metrics";
import type { SeedCurve } from "@/api/types";
import { AXES, type MetricAxis, SERVICE_AXES } from "@/stream/series/axis";
import { HeldSource } from "./held-source";

/** Milliseconds between requests while a seed trains. */
const REFRESH_MS = 3_000;

interface SeedCurvesOptions {
  axis: MetricAxis;
  /** Whether a seed trains, so that the curves change. */
  live: boolean;
  /** Whether curves are wanted. Without runs there are none. */
  enabled?: boolean;
  /** Metrics to draw besides the return. */
  metrics?: readonly string[];
}

export interface SeedCurves {
  /**
   * The curve of a group, by its id, with the columns `iqm`, `low`, `high` and `count`: of the return, or of one of the
   * `metrics`.
   */
  sourceOf: (groupId: string, metric?: string) => HeldSource;
  /** How the curve is computed; undefined until loaded. */
  madeOf: (groupId: string) => SeedCurve["made"] | undefined;
  /** Why the curve stops before some of its seeds, or leaves seeds out; null: it does neither. */
  noteOf: (groupId: string) => string | null;
  /** Number of seeds in the curve; undefined until loaded. */
  sizeOf: (groupId: string) => number | undefined;
}

const NO_METRICS: readonly string[] = [];

/** The curve of each group of `runIds`. */
export function useSeedCurves(
  runIds: readonly string[],
  { axis, live, enabled = true, metrics = NO_METRICS }: SeedCurvesOptions,
): SeedCurves {
  const [sources] = useState(() => new Map<string, HeldSource>());
  const { data } = useQuery({
    ...seedCurvesQuery(runIds, SERVICE_AXES[axis], metrics),
    enabled: enabled && runIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (live || state.data?.live ? REFRESH_MS : false),
  });
  // External system: the sources, which are kept outside React.
  useEffect(() => {
    if (!data) return;
    const loaded = AXES.find((name) => SERVICE_AXES[name] === data.x) ?? "step";
    for (const { group_id, iqm, low, high, count, metrics } of data.seeds) {
      sourceIn(sources, group_id).loadCurve(loaded, data.steps, { iqm, low, high, count });
      for (const [name, { x, ...columns }] of Object.entries(metrics ?? {}))
        sourceIn(sources, group_id, name).loadCurve(loaded, x, columns);
    }
  }, [data, sources]);
  const found = (groupId: string) => data?.seeds.find(({ group_id }) => group_id === groupId);
  return {
    sourceOf: (groupId, metric) => sourceIn(sources, groupId, metric),
    madeOf: (groupId) => found(groupId)?.made,
    noteOf: (groupId) => found(groupId)?.note ?? null,
    sizeOf: (groupId) => found(groupId)?.run_ids.length,
  };
}

/** A source for each group and metric; without one, for its returns. */
function sourceIn(sources: Map<string, HeldSource>, groupId: string, metric = ""): HeldSource {
  const key = `${groupId} ${metric}`;
  const known = sources.get(key) ?? new HeldSource();
  sources.set(key, known);
  return known;
}
