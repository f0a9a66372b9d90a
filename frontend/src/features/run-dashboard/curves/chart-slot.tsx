"use client";

import type { ReactNode } from "react";
import { ChartCard } from "@/charts/chart-card";
import type { ChartGroup } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import type { ChartAxis } from "@/charts/plot-options";
import type { ChartMark } from "@/charts/prepare/marks";
import type { ChartSpec } from "@/charts/prepare/model";
import type { AxisWindow } from "@/stream/series/axis";
import { Boundary } from "@/ui/boundary";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";

interface ChartSlotProps {
  spec: ChartSpec;
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
  group: ChartGroup;
  /** Why there is nothing to draw; null if there may be data later. */
  waiting: "loading" | "failed" | null;
  highlight: AxisWindow | null;
  marks?: readonly ChartMark[];
  marksAreLines?: boolean;
  hasPast?: boolean;
  under?: (axis: ChartAxis) => ReactNode;
  className: string;
}

/** Id of a chart's element, for links to it. */
export function chartAnchor(chartId: string): string {
  return `chart-${chartId}`;
}

/** A chart, or a placeholder of the same height until there is data. */
export function ChartSlot({
  spec,
  settings,
  onSettings,
  group,
  waiting,
  highlight,
  marks,
  marksAreLines,
  hasPast,
  under,
  className,
}: ChartSlotProps) {
  return (
    <div id={chartAnchor(spec.id)} className="min-w-0 scroll-mt-28">
      {waiting === null ? (
        <Boundary what="The chart">
          <ChartCard
            {...{ spec, settings, onSettings, group, highlight, marks, marksAreLines }}
            {...{ hasPast, under, className }}
          />
        </Boundary>
      ) : (
        <Card title={spec.title} bodyClass="px-3 pt-2.5 pb-1.5">
          <div className="h-6" />
          {waiting === "loading" ? (
            <Skeleton className={className} />
          ) : (
            <p className={`grid place-items-center text-xs text-ink-faint ${className}`}>
              Not loaded yet
            </p>
          )}
        </Card>
      )}
    </div>
  );
}
