"use client";

import { useQuery } from "@tanstack/react-query";
import { metricCurveQuery } from "@/api/metrics";
import type { Frame } from "@/charts/figure";
import { linePath } from "@/charts/figure-scale";

/** Step and value. */
export type RunPoint = readonly [number, number];

/** What a run has logged of a metric, in the order of its steps; empty without a run. */
export function useRunPoints(runId: string | null, metric: string): readonly RunPoint[] {
  const { data } = useQuery({
    ...metricCurveQuery(runId ?? "", metric, "step"),
    enabled: runId !== null,
  });
  return (data?.x ?? []).flatMap((step, i): RunPoint[] => {
    const value = data?.y[i] ?? null;
    return value === null ? [] : [[step, value]];
  });
}

/** A curve from a run, broad, so that it shows behind a line over it. */
export function RunCurve({
  frame: { x, y },
  points,
}: {
  frame: Frame;
  points: readonly RunPoint[];
}) {
  return (
    <path
      d={linePath(points.map(([step, value]) => [x(step), y(value)] as const))}
      fill="none"
      className="stroke-chart-raw"
      strokeWidth={7}
      strokeLinejoin="round"
      opacity={0.55}
    />
  );
}
