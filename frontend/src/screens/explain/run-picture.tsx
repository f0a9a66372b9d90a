"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { metricCurveQuery } from "@/api/metrics";
import { anatomyQuery } from "@/api/run-record";
import type { Histogram, UpdateAnatomy } from "@/api/types";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linearTicks, linePath } from "@/charts/figure-scale";
import { decimal } from "@/lib/number";
import { RunNote } from "./picture";

/** Step and value. */
export type RunPoint = readonly [number, number];

/** The logged values of a metric of a run, in the order of their steps; empty without a run. */
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

/** A curve from a run, drawn broad so that it stays visible behind another line. */
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

interface RunDistributionProps {
  /** Label of the x axis: the quantity whose distribution is drawn. */
  label: string;
  histogram: Histogram;
  /** Note below the plot: what is drawn, and which update it belongs to. */
  children: ReactNode;
}

/** A distribution from a run, on separate axes because the picture's axes have another unit. */
export function RunDistribution({ label, histogram, children }: RunDistributionProps) {
  const { low, high, mean, std } = histogram;
  const domain = [low, high] as const;
  return (
    <div className="mt-4 flex flex-col gap-1">
      <Plot
        label={`Distribution in this run, ${label}: mean ${decimal(mean)}, standard deviation ${decimal(std)}`}
        height={120}
        x={{ domain, ticks: linearTicks(domain).map(({ at }) => at), label }}
        y={{ domain: [0, 1], ticks: [], label: "" }}
      >
        {(frame) => <RunHistogram frame={frame} histogram={histogram} tallest={1} />}
      </Plot>
      <RunNote>{children}</RunNote>
    </div>
  );
}

interface RunHistogramProps {
  frame: Frame;
  histogram: Histogram;
  /** Height of the tallest bar as a share of the picture's. */
  tallest?: number;
}

/** A histogram of values from a run along the x axis, drawn behind everything else. */
export function RunHistogram({ frame, histogram, tallest = 0.3 }: RunHistogramProps) {
  const { x, left, right, top, bottom } = frame;
  const { low, high, counts } = histogram;
  const most = Math.max(...counts, 1);
  const wide = (high - low) / counts.length;
  return (
    <g className="fill-chart-raw" opacity={0.55}>
      {counts.map((count, i) => {
        const [from, to] = [low + i * wide, low + (i + 1) * wide].map((value) =>
          clamp(x(value), left, right),
        ) as [number, number];
        const tall = (count / most) * tallest * (bottom - top);
        return <rect key={i} x={from} y={bottom - tall} width={to - from} height={tall} />;
      })}
    </g>
  );
}

/** The newest recorded update of a run; undefined without a run or without a recorded update. */
export function useNewestUpdate(runId: string | null): UpdateAnatomy | undefined {
  const { data: updates } = useQuery({ ...anatomyQuery(runId ?? ""), enabled: runId !== null });
  return updates?.at(-1);
}
