"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ChartMark } from "@/components/charts";
import { evaluationsQuery, type Run, runEventsQuery } from "@/lib/api";
import type { MetricAxis, RunSeries } from "@/lib/stream";
import { eventMarks } from "./event-marks";
import { usePoints } from "./use-points";

/** A run's events as marks on its axis. */
export function useEventMarks(run: Run, series: RunSeries, axis: MetricAxis): ChartMark[] {
  // Changes whenever there may be a new event.
  const when = [run.status, run.policy_step, run.best_policy?.step, run.warnings].join();
  const { data: events } = useQuery(runEventsQuery(run.id, when));
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const points = usePoints(series, "eval/mean_reward");
  const { started_at, solved } = run;
  const solvedKey = JSON.stringify(solved);
  return useMemo(() => {
    const happened = {
      run: { started_at, solved: JSON.parse(solvedKey) as Run["solved"] },
      events: events?.events ?? [],
      evaluations: evaluations ?? [],
      periodic: points.map(([at, mean]) => ({ at, mean })),
    };
    return eventMarks(happened, axis);
  }, [started_at, solvedKey, events, evaluations, points, axis]);
}
