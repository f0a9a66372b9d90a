"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { metricCurveQuery } from "@/api/metrics";
import { isActive } from "@/api/runs";
import type { Run } from "@/api/types";
import { episodeScale, type StepScale, stepScale, timeScale } from "@/charts/prepare/axes";
import type { MetricAxis } from "@/stream/series/axis";
import { EPISODE } from "@/stream/series/run-series";

/** Milliseconds after which what a run has trained since is asked for. */
const RENEW_EVERY_MS = 5_000;

/** Where the environment steps of a run lie on an axis; null until that is known. */
export function useStepScale(run: Run, axis: MetricAxis): StepScale | null {
  const options = {
    enabled: axis !== "step",
    refetchInterval: isActive(run) && RENEW_EVERY_MS,
  };
  const bySteps = useQuery({ ...metricCurveQuery(run.id, EPISODE, "step"), ...options });
  const byTime = useQuery({
    ...metricCurveQuery(run.id, EPISODE, "seconds"),
    ...options,
    enabled: axis === "time",
  });
  return useMemo(() => {
    if (axis === "step") return stepScale(run.step);
    if (!bySteps.data) return null;
    if (axis === "episode") return episodeScale(bySteps.data, run.step);
    return byTime.data ? timeScale(bySteps.data, byTime.data, run.step) : null;
  }, [axis, bySteps.data, byTime.data, run.step]);
}
