"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { evaluationsQuery } from "@/api/evaluations";
import { runEventsQuery } from "@/api/run-record";
import type { Run } from "@/api/types";
import type { ChartMark } from "@/charts/prepare/marks";
import type { MetricAxis } from "@/stream/series/axis";
import type { RunSeries } from "@/stream/series/run-series";
import { eventMarks, type Happened } from "./event-marks";
import { usePoints } from "./use-points";

/** A run's events as marks on its axis. */
export function useEventMarks(run: Run, series: RunSeries, axis: MetricAxis): ChartMark[] {
  const { data: events } = useQuery(runEventsQuery(run.id, run.last_event));
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const points = usePoints(series, "eval/mean_reward");
  const known = JSON.stringify({
    ...{ attempts: run.attempts, solved: run.solved, parent: run.parent },
  });
  return useMemo(() => {
    const happened = {
      run: JSON.parse(known) as Happened["run"],
      events: events?.events ?? [],
      evaluations: evaluations ?? [],
      periodic: points.map(([at, mean]) => ({ at, mean })),
    };
    return eventMarks(happened, axis);
  }, [known, events, evaluations, points, axis]);
}
