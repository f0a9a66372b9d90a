"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { HeldSource } from "@/components/charts";
import { isActive, type Run, seedCurvesQuery } from "@/lib/api";
import { AXES, type MetricAxis, SERVICE_AXES } from "@/lib/stream";
import type { ComparedGroup } from "./seed-groups";

/** Milliseconds between requests while a run trains. */
const REFRESH_MS = 3_000;

/** The curve of each of `groups` as a source with the columns `iqm`, `low` and `high`. */
export function useGroupCurves(
  runs: readonly Run[],
  groups: readonly ComparedGroup[],
  axis: MetricAxis,
): (id: string) => HeldSource {
  const [sources] = useState(() => new Map<string, HeldSource>());
  const sourceOf = (id: string) => {
    const known = sources.get(id) ?? new HeldSource();
    sources.set(id, known);
    return known;
  };
  const ids = groups.flatMap(({ runIds }) => runIds);
  const { data } = useQuery({
    ...seedCurvesQuery(ids, SERVICE_AXES[axis]),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: runs.some(isActive) ? REFRESH_MS : false,
  });
  // External system: the sources, which are kept outside React.
  useEffect(() => {
    if (!data) return;
    const loaded = AXES.find((name) => SERVICE_AXES[name] === data.x) ?? "step";
    for (const { group_id, iqm, low, high } of data.seeds) {
      const source = sources.get(group_id) ?? new HeldSource();
      sources.set(group_id, source);
      source.load(loaded, data.steps, { iqm, low, high });
    }
  }, [data, sources]);
  return sourceOf;
}
