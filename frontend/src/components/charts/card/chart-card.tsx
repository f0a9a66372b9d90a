"use client";

import { Maximize2 } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { withRetry } from "@/api/with-retry";
import type { AxisWindow } from "@/stream/series/axis";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import type { ChartGroup } from "../live/chart-group";
import { useLiveChart } from "../live/use-live-chart";
import type { ChartMark } from "../prepare/marks";
import type { ChartSpec } from "../prepare/model";
import type { ChartSettings } from "../settings/chart-settings";
import type { ChartAxis } from "./chart-axis";
import { ChartBody } from "./chart-body";
import { ChartHelp } from "./chart-help";
import { ChartTools } from "./chart-tools";

const FullScreenChart = dynamic(
  withRetry(() => import("./full-screen-chart").then((m) => m.FullScreenChart)),
);

interface ChartCardProps {
  /** Memoise it: a new object rebuilds the chart. */
  spec: ChartSpec;
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
  group: ChartGroup;
  /** The part of the axis to highlight, in its units. */
  highlight?: AxisWindow | null;
  /** Events of the run; shown if `settings.events`. */
  marks?: readonly ChartMark[];
  /** Whether they are thin lines, which say nothing when they are pointed at. */
  marksAreLines?: boolean;
  /** Whether the run has a past to draw behind the curve: full screen offers to hide it. */
  hasPast?: boolean;
  /** The class that sets the height of the plot. */
  className?: string;
  /** Rendered below the chart, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
  /** Shown before the chart's own buttons. */
  aside?: ReactNode;
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();
const NO_MARKS: readonly ChartMark[] = [];

/** A chart in a card: legend, plot, full screen and downloads. */
export function ChartCard({
  spec,
  settings,
  onSettings,
  group,
  highlight = null,
  marks = NO_MARKS,
  marksAreLines,
  hasPast,
  className = "h-52 md:h-60",
  under,
  aside,
}: ChartCardProps) {
  const [hidden, setHidden] = useState(NONE_HIDDEN);
  const [full, setFull] = useState(false);
  const live = useLiveChart({ spec, settings, group, hidden, highlight });
  const shownMarks = settings.events ? marks : NO_MARKS;
  const toggle = (id: string) => setHidden((old) => toggled(old, id));
  return (
    <Card
      label={spec.title}
      title={
        <span className="flex min-w-0 items-center gap-1.5">
          <span title={spec.title} className="truncate">
            {spec.title}
          </span>
          {spec.unit && (
            <span className="shrink-0 text-xs font-normal text-ink-faint">{spec.unit}</span>
          )}
          {spec.help && <ChartHelp title={spec.title} text={spec.help} />}
        </span>
      }
      aside={
        <span className="-mr-2 flex items-center">
          {aside}
          <ChartTools
            chart={live.chart}
            marks={shownMarks}
            settings={settings}
            onSettings={onSettings}
          />
          <Button
            size="sm"
            variant="quiet"
            aria-label={`${spec.title}: full screen`}
            onClick={() => setFull(true)}
            icon={<Maximize2 aria-hidden className="size-3.5" />}
          />
        </span>
      }
      className="flex h-full flex-col"
      bodyClass="flex grow flex-col px-3 pt-2.5 pb-1.5"
    >
      <ChartBody
        {...{ live, hidden, under, className, marksAreLines }}
        marks={shownMarks}
        smoothing={settings.smoothing}
        onToggle={toggle}
      />
      {full && (
        <FullScreenChart
          {...{ spec, settings, onSettings, group, hidden, highlight, marks, hasPast }}
          onToggle={toggle}
          onClose={() => setFull(false)}
        />
      )}
    </Card>
  );
}

function toggled(old: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(old);
  if (!next.delete(id)) next.add(id);
  return next;
}
