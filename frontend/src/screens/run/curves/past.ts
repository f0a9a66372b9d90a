"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { hasPast, pastQuery } from "@/api/run-record";
import type { Run, RunPast } from "@/api/types";
import type { ChartSettings } from "@/charts/chart-settings";
import type { ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import { plural } from "@/lib/number";
import { SERVICE_AXES } from "@/stream/series/axis";
import { RunSeries } from "@/stream/series/run-series";

/** Curves behind those of a run: discarded ones, and those of its parents. */
export interface PastLine {
  id: string;
  label: string;
  dash: readonly number[];
  series: RunSeries;
}

const GHOST_DASH: readonly number[] = [];
const ANCESTOR_DASH = [7, 3];

export function pastLines({ x, ghosts, ancestors, mean_episodes }: RunPast): PastLine[] {
  const held = (series: RunPast["ghosts"][number]["series"]) => {
    const held = new RunSeries();
    held.load({ x, series, mean_episodes });
    return held;
  };
  return [
    ...ancestors.map(({ run_id, series }, i) => ({
      id: `ancestor ${run_id}`,
      label: i === ancestors.length - 1 ? "Parent, up to the fork" : "Runs before the parent",
      dash: ANCESTOR_DASH,
      series: held(series),
    })),
    ...ghosts.map(({ attempt, series }) => ({
      id: `ghost ${attempt}`,
      label: "Left behind",
      dash: GHOST_DASH,
      series: held(series),
    })),
  ];
}

/** The chart with the curves of its metric in `past` behind it. */
export function withPast(spec: ChartSpec, past: readonly PastLine[]): ChartSpec {
  const main = spec.series[0];
  if (!main || past.length === 0) return spec;
  const { metric, negate, smooth } = main;
  const context = past.flatMap(({ id, label, dash, series }): SeriesSpec[] => {
    if (series.column(metric).length === 0) return [];
    return [
      {
        ...{ id, label, dash, metric, source: series },
        ...{ mode: "line", color: "ink-faint", negate, smooth },
      },
    ];
  });
  return withContext(spec, context);
}

export function withContext(spec: ChartSpec, context: readonly SeriesSpec[]): ChartSpec {
  return context.length === 0 ? spec : { ...spec, context: [...(spec.context ?? []), ...context] };
}

export interface Past {
  /** Whether there is any to show or hide. */
  exists: boolean;
  shown: readonly PastLine[];
  /** Curves that are not drawn, and why. */
  note: string | null;
}

const NONE: readonly PastLine[] = [];

/** The curves behind those of a run, unless the user hides them. */
export function usePast(run: Run, { axis, smoothing, past }: ChartSettings): Past {
  const exists = hasPast(run);
  const { data, error } = useQuery({
    ...pastQuery(run, { x: SERVICE_AXES[axis] }),
    enabled: exists,
  });
  const lines = useMemo(
    () => (data?.x === SERVICE_AXES[axis] ? pastLines(data) : NONE),
    [data, axis],
  );
  // External system: the series, which are kept outside React.
  useEffect(
    () => lines.forEach(({ series }) => series.setSmoothing(smoothing)),
    [lines, smoothing],
  );
  const shown = past ? lines : NONE;
  return { exists, shown, note: past ? noteOn(run, data, error !== null, axis) : null };
}

function noteOn(
  { parent }: Run,
  data: { ghosts_left_out: number; ancestors: readonly object[] } | undefined,
  failed: boolean,
  axis: ChartSettings["axis"],
): string | null {
  if (failed) return "The discarded curves could not be loaded.";
  const notes: string[] = [];
  if (data && data.ghosts_left_out > 0)
    notes.push(
      `${plural(data.ghosts_left_out, "older discarded curve is", "older discarded curves are")} not shown.`,
    );
  if (parent && axis === "time")
    notes.push(
      "The parent is not shown on the time axis, because each run's training time starts at zero.",
    );
  return notes.join(" ") || null;
}
