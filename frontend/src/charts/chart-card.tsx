"use client";

/**
 * Charts of metrics over time, many series each.
 *
 *     const group = useChartGroup();                        // one a page: shared cursor and zoom
 *     const [settings, change] = useChartSettings(group);   // smoothing, axis, log, outliers, events; in the address
 *     const { pool, curves } = useRunCurves(runs, { axis: settings.axis, names });   // stream/series: live, by run id
 *     useZoomDetail(group, pool);                           // a zoom fetches the points that were thinned out
 *     const spec = useMemo(() => ({                         // keep the same object while nothing changes
 *       id: "reward", title: "Episode return", empty: "No finished episode yet", references: [],
 *       series: runs.map(({ id, name }, i) => ({
 *         id, source: curves(id).series, metric: "episode/reward", label: name, mode: "points", ...seriesStyle(i),
 *       })),
 *     }), …);
 *
 *     <ChartToolbar settings={settings} onChange={change} group={group} />
 *     <ChartCard spec={spec} settings={settings} onSettings={change} group={group} />
 *
 * `prepare/` decides everything about a picture and is pure; `plot.ts` draws it with uPlot. New data swaps arrays;
 * only a new `spec` rebuilds the plot.
 */

import { CircleHelp, Maximize2 } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useId, useState } from "react";
import { withRetry } from "@/api/with-retry";
import type { AxisWindow } from "@/stream/series/axis";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Tooltip } from "@/ui/tooltip";
import { ChartBody, ChartTools } from "./chart-body";
import type { ChartGroup } from "./chart-group";
import type { ChartSettings } from "./chart-settings";
import { useLiveChart } from "./live-chart";
import type { ChartAxis } from "./plot-options";
import type { ChartMark } from "./prepare/marks";
import type { ChartSpec } from "./prepare/model";

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
  /** Whether they are thin lines without a text on hover. */
  marksAreLines?: boolean;
  /** Whether the run has a past to draw behind the curve: full screen offers to hide it. */
  hasPast?: boolean;
  /** The class that sets the height of the plot. */
  className?: string;
  /** Rendered below the chart, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
  /** Shown before the chart's own buttons. */
  aside?: ReactNode;
  /** Ids of the series that are switched off, if the page stores them; otherwise the chart does. */
  hidden?: ReadonlySet<string>;
  onToggle?: (id: string) => void;
  /** Whether series are named above the plot; otherwise values are shown beside the cursor. */
  hasLegend?: boolean;
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
  hidden: kept,
  onToggle,
  hasLegend,
}: ChartCardProps) {
  const [own, setOwn] = useState(NONE_HIDDEN);
  const hidden = kept ?? own;
  const [full, setFull] = useState(false);
  const live = useLiveChart({ spec, settings, group, hidden, highlight });
  const shownMarks = settings.events ? marks : NO_MARKS;
  const toggle = onToggle ?? ((id: string) => setOwn((old) => toggled(old, id)));
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
        {...{ live, hidden, under, className, marksAreLines, hasLegend }}
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

/** A button that explains what a curve or a figure means. The text is also its description for screen readers. */
export function ChartHelp({ title, text }: { title: string; text: string }) {
  const description = useId();
  return (
    <>
      <Tooltip text={<span className="whitespace-pre-line">{text}</span>}>
        <button
          type="button"
          aria-label={`What is ${title}?`}
          aria-describedby={description}
          className="relative grid size-5 shrink-0 place-items-center rounded-sm text-ink-faint after:absolute hover:text-ink pointer-coarse:after:-inset-2"
        >
          <CircleHelp aria-hidden className="size-3.5" />
        </button>
      </Tooltip>
      <span id={description} hidden>
        {text}
      </span>
    </>
  );
}
