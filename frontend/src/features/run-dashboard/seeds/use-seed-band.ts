"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { HeldSource, type SeriesSpec } from "@/components/charts";
import { groupRunsQuery, isActive, type Run, type SeedGroup, seedCurvesQuery } from "@/lib/api";
import { AXES, type MetricAxis, SERVICE_AXES } from "@/lib/stream";

/** Milliseconds between requests while a seed of the group trains. */
const REFRESH_MS = 3_000;

export interface Seeds {
  group: SeedGroup;
  /** All runs of the group, by seed. */
  runs: readonly Run[];
}

/** The group of a run; null for a run alone, or until it is loaded. */
export function useSeeds(run: Run): Seeds | null {
  const { data } = useQuery({
    ...groupRunsQuery(run.group_id),
    // The stream tells of single runs; what they amount to is the service's to say.
    refetchInterval: ({ state }) => (state.data?.runs.some(isActive) ? REFRESH_MS : false),
  });
  const group = data?.groups.find(({ id }) => id === run.group_id);
  if (!data || !group) return null;
  return { group, runs: data.runs.toSorted((one, other) => one.seed - other.seed) };
}

/** The curve of the whole group with its interval, to be drawn behind that of a run; empty while it is not `shown`. */
export function useSeedBand(
  seeds: Seeds | null,
  axis: MetricAxis,
  shown: boolean,
): readonly SeriesSpec[] {
  const [source] = useState(() => new HeldSource());
  const ids = seeds?.group.run_ids ?? [];
  const { data } = useQuery({
    ...seedCurvesQuery(ids, SERVICE_AXES[axis]),
    enabled: shown && ids.length > 1,
    placeholderData: keepPreviousData,
    refetchInterval: seeds?.runs.some(isActive) ? REFRESH_MS : false,
  });
  // External system: the source, which is kept outside React.
  useEffect(() => {
    const [curve] = data?.seeds ?? [];
    if (!data || !curve) return;
    const loaded = AXES.find((name) => SERVICE_AXES[name] === data.x) ?? "step";
    const { iqm, low, high } = curve;
    source.load(loaded, data.steps, { iqm, low, high });
  }, [data, source]);
  const count = ids.length;
  return useMemo(
    () =>
      shown && count > 1
        ? [
            {
              ...{ id: "seeds", source, metric: "iqm", mode: "line", smooth: false },
              ...{ label: `IQM of ${count} seeds, 95 % interval`, color: "ink-faint" },
              band: { low: "low", high: "high" },
            },
          ]
        : [],
    [source, shown, count],
  );
}
