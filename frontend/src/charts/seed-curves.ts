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
  /** Whether curves are wanted. Without runs there are none either. */
  enabled?: boolean;
}

interface SeedCurves {
  /** The curve of a group, by its id, with the columns `iqm`, `low`, `high` and `count`. */
  sourceOf: (groupId: string) => HeldSource;
  /** How it was made; undefined until it is loaded. */
  madeOf: (groupId: string) => SeedCurve["made"] | undefined;
  /** Why it stops before some of its seeds do, or is not of all; null where there is nothing to say. */
  noteOf: (groupId: string) => string | null;
  /** How many seeds it is of; undefined until it is loaded. */
  sizeOf: (groupId: string) => number | undefined;
}

/** The curve of each group of `runIds`. */
export function useSeedCurves(
  runIds: readonly string[],
  { axis, live, enabled = true }: SeedCurvesOptions,
): SeedCurves {
  const [sources] = useState(() => new Map<string, HeldSource>());
  const sourceOf = (groupId: string) => {
    const known = sources.get(groupId) ?? new HeldSource();
    sources.set(groupId, known);
    return known;
  };
  const { data } = useQuery({
    ...seedCurvesQuery(runIds, SERVICE_AXES[axis]),
    enabled: enabled && runIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (live || state.data?.live ? REFRESH_MS : false),
  });
  // External system: the sources, which are kept outside React.
  useEffect(() => {
    if (!data) return;
    const loaded = AXES.find((name) => SERVICE_AXES[name] === data.x) ?? "step";
    for (const { group_id, iqm, low, high, count } of data.seeds) {
      const source = sources.get(group_id) ?? new HeldSource();
      sources.set(group_id, source);
      source.loadCurve(loaded, data.steps, { iqm, low, high, count });
    }
  }, [data, sources]);
  const found = (groupId: string) => data?.seeds.find(({ group_id }) => group_id === groupId);
  return {
    sourceOf,
    madeOf: (groupId) => found(groupId)?.made,
    noteOf: (groupId) => found(groupId)?.note ?? null,
    sizeOf: (groupId) => found(groupId)?.run_ids.length,
  };
}
