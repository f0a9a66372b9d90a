"use client";

import { useMemo } from "react";
import {
  ChartCard,
  ChartToolbar,
  type ChartSpec,
  useChartGroup,
  useChartSettings,
  useZoomDetail,
} from "@/components/charts";
import { Boundary } from "@/components/ui/boundary";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import type { RunDetail } from "@/lib/api";
import { type RunSeries, useRunCurves } from "@/lib/stream";
import type { SeriesStyles } from "./series-styles";

interface CurvesProps {
  runs: readonly RunDetail[];
  seriesStyles: SeriesStyles;
  /** The return to reach, where all runs share one. */
  threshold: number | null;
}

const METRICS = ["episode/reward", "episode/index"];

/** The returns of all runs over each other, live, with every tool that a single run's charts have. */
export function Curves({ runs, seriesStyles, threshold }: CurvesProps) {
  const group = useChartGroup();
  const [settings, change] = useChartSettings(group);
  const { pool, curves } = useRunCurves(runs, { axis: settings.axis, names: METRICS });
  useZoomDetail(group, pool);
  const loaders = runs.map(({ id }) => curves(id));
  const failed = runs.filter((_, i) => loaders[i]?.state.phase === "failed");
  const loading = loaders.every(({ series }) => series.revision === 0) && failed.length === 0;
  const spec = useSpec(
    runs,
    loaders.map(({ series }) => series),
    seriesStyles,
    threshold,
  );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {failed.length > 0 && (
        <Notice
          tone="warn"
          role="status"
          title={`The curve of ${failed.map(({ name }) => name).join(", ")} could not be loaded`}
        >
          <p className="text-ink-soft">Trying again.</p>
        </Notice>
      )}
      <ChartToolbar settings={settings} onChange={change} group={group} />
      {loading ? (
        <Skeleton className="h-72 md:h-96" />
      ) : (
        <Boundary what="The chart">
          <ChartCard {...{ spec, settings, group }} onSettings={change} className="h-64 md:h-80" />
        </Boundary>
      )}
    </div>
  );
}

/** A new chart only when it would say something else: live rows change none of this. */
function useSpec(
  runs: readonly RunDetail[],
  series: readonly RunSeries[],
  seriesStyles: SeriesStyles,
  threshold: number | null,
): ChartSpec {
  const lines = runs.map(({ id, name }, i) => ({
    id,
    name,
    source: series[i]!,
    seriesStyle: seriesStyles.get(id),
  }));
  const says = JSON.stringify(lines.map(({ id, name, seriesStyle }) => [id, name, seriesStyle]));
  return useMemo(
    () => ({
      id: "reward",
      title: "Episode return",
      help: "Sum of the rewards of each episode, of every run; the line is smoothed.",
      empty: "No finished episode yet",
      series: lines.map(({ id, name, source, seriesStyle }) => ({
        ...{ id, source, metric: "episode/reward", label: name, mode: "points" as const },
        ...{ color: seriesStyle?.color ?? "series-1", dash: seriesStyle?.dash },
      })),
      references: threshold === null ? [] : [{ label: "Threshold", value: threshold }],
    }),
    // `lines` holds nothing else that the chart shows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [says, threshold],
  );
}
