"use client";

import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { pastQuery } from "@/api/run-record";
import type { Run, RunPast } from "@/api/types";
import type { ChartSettings } from "@/charts/chart-settings";
import type { SeriesSpec } from "@/charts/prepare/model";
import { SERVICE_AXES } from "@/stream/series/axis";
import { RunSeries } from "@/stream/series/run-series";

/** The history of a fork: the curves of the run that it was forked from, up to the fork. */
export interface ForkAncestor {
  /** The fork. */
  id: string;
  of: string;
  series: RunSeries;
}

const DASH = [7, 3];
const NONE: ForkAncestor[] = [];

/** The forks among `runs` whose line no other compared run leads up to. */
export function forksAlone(runs: readonly Run[]): Run[] {
  const compared = new Set(runs.map(({ id }) => id));
  return runs.filter(({ parent }) => parent && !compared.has(parent.run_id));
}

export function forkAncestors(pasts: readonly RunPast[]): ForkAncestor[] {
  return pasts.flatMap(({ run_id, x, ancestors, mean_episodes }) =>
    ancestors.map((ancestor) => {
      const series = new RunSeries();
      series.load({ x, series: ancestor.series, mean_episodes });
      return { id: run_id, of: ancestor.run_id, series };
    }),
  );
}

/** The lines behind those of a chart that lead up to its forks, each in the colour of the fork. */
export function ancestorLines(
  found: readonly ForkAncestor[],
  lines: readonly SeriesSpec[],
): SeriesSpec[] {
  return found.flatMap(({ id, of, series }): SeriesSpec[] => {
    const line = lines.find((one) => one.id === id);
    if (!line || series.column(line.metric).length === 0) return [];
    const { metric, color, negate, smooth } = line;
    return [
      {
        ...{ id: `${id} from ${of}`, label: "Before the fork", source: series, metric, dash: DASH },
        ...{ mode: "line", color, negate, smooth },
      },
    ];
  });
}

export function useForkAncestors(
  runs: readonly Run[],
  { axis, smoothing }: ChartSettings,
): readonly ForkAncestor[] {
  const x = SERVICE_AXES[axis];
  const pasts = useQueries({
    queries: forksAlone(runs).map((run) => pastQuery(run, { x })),
    combine: (results) => results.flatMap(({ data }) => (data?.x === x ? [data] : [])),
  });
  const found = useMemo(() => (pasts.length === 0 ? NONE : forkAncestors(pasts)), [pasts]);
  // External system: the series, which are kept outside React.
  useEffect(
    () => found.forEach(({ series }) => series.setSmoothing(smoothing)),
    [found, smoothing],
  );
  return found;
}
