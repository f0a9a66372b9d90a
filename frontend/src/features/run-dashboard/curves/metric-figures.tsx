"use client";

import { useMetricRegistry } from "@/api/metric-registry";
import { ChartHelp } from "@/charts/chart-card";
import { brief, decimal } from "@/lib/number";
import type { RunSeries } from "@/stream/series/run-series";
import { useStreamedEnds } from "./use-streamed-ends";

interface MetricFiguresProps {
  metrics: readonly string[];
  series: RunSeries;
}

/** Metrics as single values: those that never change or only count, of which a chart would be a straight line. */
export function MetricFigures({ metrics, series }: MetricFiguresProps) {
  if (metrics.length === 0) return null;
  return (
    <dl
      aria-label="Metrics without a curve"
      className="grid gap-x-6 gap-y-1 py-1 text-xs sm:grid-cols-2"
    >
      {metrics.map((metric) => (
        <Figure key={metric} metric={metric} series={series} />
      ))}
    </dl>
  );
}

function Figure({ metric, series }: { metric: string; series: RunSeries }) {
  const { label, help, unit, kind, negate } = useMetricRegistry().get(metric);
  const ends = useStreamedEnds(series, metric);
  const [first, last] = ends.map((value) => (value !== null && negate ? -value : value));
  return (
    <div className="flex items-center justify-between gap-3 border-b border-line py-1">
      <dt className="flex min-w-0 items-center gap-1 text-ink-soft">
        <span className="truncate">{label}</span>
        {help && <ChartHelp title={label} text={help} />}
      </dt>
      <dd className="shrink-0 tabular-nums">
        {kind === "count"
          ? brief(last)
          : first === last
            ? decimal(last)
            : `${decimal(first)} → ${decimal(last)}`}
        {unit && <span className="text-ink-faint"> {unit}</span>}
        {kind !== "count" && (
          <span className="text-ink-faint"> · {first === last ? "constant" : "linear"}</span>
        )}
      </dd>
    </div>
  );
}
