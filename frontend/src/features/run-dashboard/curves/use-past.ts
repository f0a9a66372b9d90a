"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { hasPast, pastQuery } from "@/api/run-record";
import type { Run } from "@/api/types";
import type { ChartSettings } from "@/charts/chart-settings";
import { plural } from "@/lib/number";
import { SERVICE_AXES } from "@/stream/series/axis";
import { type PastLine, pastLines } from "./past-lines";

export interface Past {
  /** Whether there is any to show or hide. */
  exists: boolean;
  shown: readonly PastLine[];
  /** What is not drawn, and why. */
  note: string | null;
}

const NONE: readonly PastLine[] = [];

/** What is drawn behind the curves of a run, unless it is hidden. */
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
  if (failed) return "What the run has left behind could not be loaded.";
  const notes: string[] = [];
  if (data && data.ghosts_left_out > 0)
    notes.push(
      `${plural(data.ghosts_left_out, "older stretch", "older stretches")} left behind not drawn.`,
    );
  if (parent && axis === "time")
    notes.push("Along time the parent is not drawn: each run has its own clock.");
  return notes.join(" ") || null;
}
