"use client";

import { useMemo } from "react";
import {
  ChartCard,
  ChartToolbar,
  type ChartSpec,
  useChartGroup,
  useChartView,
  useZoomDetail,
} from "@/components/charts";
import { Boundary } from "@/components/ui/boundary";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import type { RunDetail } from "@/lib/api";
import { type RunSeries, useRunCurves } from "@/lib/stream";
import type { Looks } from "./looks";

interface CurvesProps {
  runs: readonly RunDetail[];
  looks: Looks;
  /** The return to reach, where all runs share one. */
  threshold: number | null;
}

const METRICS = ["episode/reward", "episode/index"];

/** The returns of all runs over each other, live, with every tool that a single run's charts have. */
export function Curves({ runs, looks, threshold }: CurvesProps) {
  const group = useChartGroup();
  const [view, change] = useChartView(group);
  const { pool, curves } = useRunCurves(runs, { axis: view.axis, names: METRICS });
  useZoomDetail(group, pool);
  const feeds = runs.map(({ id }) => curves(id));
  const failed = runs.filter((_, i) => feeds[i]?.state.phase === "failed");
  const loading = feeds.every(({ series }) => series.revision === 0) && failed.length === 0;
  const spec = useSpec(
    runs,
    feeds.map(({ series }) => series),
    looks,
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
      <ChartToolbar view={view} onChange={change} group={group} />
      {loading ? (
        <Skeleton className="h-72 md:h-96" />
      ) : (
        <Boundary what="The chart">
          <ChartCard spec={spec} view={view} group={group} className="h-64 md:h-80" />
        </Boundary>
      )}
    </div>
  );
}

/** A new chart only when it would say something else: live rows change none of this. */
function useSpec(
  runs: readonly RunDetail[],
  series: readonly RunSeries[],
  looks: Looks,
  threshold: number | null,
): ChartSpec {
  const lines = runs.map(({ id, name }, i) => ({
    id,
    name,
    source: series[i]!,
    look: looks.get(id),
  }));
  const says = JSON.stringify(lines.map(({ id, name, look }) => [id, name, look]));
  return useMemo(
    () => ({
      id: "reward",
      title: "Episode return",
      help: "Sum of the rewards of each episode, of every run; the line is smoothed.",
      empty: "No finished episode yet",
      series: lines.map(({ id, name, source, look }) => ({
        ...{ id, source, metric: "episode/reward", label: name, look: "points" as const },
        ...{ color: look?.color ?? "series-1", dash: look?.dash },
      })),
      references: threshold === null ? [] : [{ label: "Threshold", value: threshold }],
    }),
    // `lines` holds nothing else that the chart shows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [says, threshold],
  );
}
