"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { groupRunsQuery, isActive } from "@/api/runs";
import type { Run, SeedGroup } from "@/api/types";
import type { SeriesSpec } from "@/charts/prepare/model";
import { useSeedCurves } from "@/charts/seed-curves";
import { plural } from "@/lib/number";
import type { MetricAxis } from "@/stream/series/axis";

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
  const ids = seeds?.group.run_ids ?? [];
  const { sourceOf, sizeOf } = useSeedCurves(ids, {
    axis,
    live: seeds?.runs.some(isActive) ?? false,
    enabled: shown && ids.length > 1,
  });
  const source = sourceOf(seeds?.group.id ?? "");
  const count = sizeOf(seeds?.group.id ?? "") ?? ids.length;
  return useMemo(
    () =>
      shown && ids.length > 1
        ? [
            {
              ...{ id: "seeds", source, metric: "iqm", mode: "line", smooth: false },
              ...{ label: `IQM of ${plural(count, "seed")}, 95 % interval`, color: "ink-faint" },
              band: { low: "low", high: "high" },
            },
          ]
        : [],
    [source, shown, count, ids.length],
  );
}
