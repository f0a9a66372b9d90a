"use client";

import { type ComponentProps, type ReactNode, useEffect, useMemo, useState } from "react";
import { useMetricRegistry } from "@/api/metric-registry";
import type { RunDetail } from "@/api/types";
import { ChartCard, ChartHelp } from "@/charts/chart-card";
import type { ChartGroup } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { ChartToolbar } from "@/charts/chart-toolbar";
import type { ChartAxis } from "@/charts/plot-options";
import type { ChartMark, MarkKind } from "@/charts/prepare/marks";
import type { ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import { brief, decimal, plural } from "@/lib/number";
import type { AxisWindow } from "@/stream/series/axis";
import type { RunSeries } from "@/stream/series/run-series";
import type { RunCurves } from "@/stream/series/run-series-pool";
import { Badge } from "@/ui/badge";
import { Boundary } from "@/ui/boundary";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { chartOf, useCharts } from "./charts";
import { useEventMarks } from "./event-marks";
import { type Highlight, useStreamedEnds } from "./highlight";
import { usePast } from "./past";

interface LearningCurvesProps {
  run: RunDetail;
  curves: RunCurves;
  settings: ChartSettings;
  /** Drawn behind the curve of the return. */
  behind: readonly SeriesSpec[];
  /** About what is drawn behind it. */
  note: string | null;
  onSettings: (change: Partial<ChartSettings>) => void;
  group: ChartGroup;
  highlight: Highlight | null;
  /** Rendered below the chart of the return, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
  /** Placed below the chart of the return. */
  below?: ReactNode;
}

/** Events that changed the course of training: they are marked on every chart. */
const COURSE: readonly MarkKind[] = ["steered", "fork", "resumed"];

export function LearningCurves({
  run,
  curves: { series, state },
  settings,
  behind,
  note,
  onSettings,
  group,
  highlight,
  under,
  below,
}: LearningCurvesProps) {
  const past = usePast(run, settings);
  const { first, main, more, figures } = useCharts(run, series, past.shown, behind);
  const marks = useEventMarks(run, series, settings.axis);
  const course = useMemo(() => marks.filter(({ kind }) => COURSE.includes(kind)), [marks]);
  const pointed = highlight && chartOf([first, ...main, ...more], highlight.metric);
  useScrollTo(pointed, highlight);

  const waiting = state.phase !== "ready" && series.revision === 0 ? state.phase : null;
  const slot = (spec: ChartSpec, height: string) => (
    <ChartSlot
      key={spec.id}
      {...{ spec, settings, onSettings, group, waiting }}
      hasPast={past.exists}
      marks={spec === first ? marks : course}
      marksAreLines={spec !== first}
      under={spec === first ? under : undefined}
      highlight={spec === pointed && settings.axis === "step" ? highlight!.steps : null}
      className={height}
    />
  );
  return (
    <section aria-label="Curves" className="flex min-w-0 flex-col gap-4">
      {state.phase === "failed" && (
        <Notice tone="warn" role="status" title="The curves could not be loaded">
          <p className="text-ink-soft">
            {state.error.title}. {state.error.detail} Trying again.
          </p>
        </Notice>
      )}
      {state.phase === "ready" && state.brokenLines > 0 && (
        <Notice
          tone="warn"
          title={`${plural(state.brokenLines, "line")} of the metrics journal could not be read`}
        >
          <p className="text-ink-soft">The curves show everything else.</p>
        </Notice>
      )}
      <div className="sticky top-13 z-10 -mx-4 -my-2 border-b border-transparent bg-bg px-4 py-2 max-md:static md:-mx-1 md:px-1">
        <ChartToolbar
          {...{ settings, group }}
          onChange={onSettings}
          hasEvents={marks.length > 0}
          hasPast={past.exists}
        />
      </div>
      {slot(first, "h-56 md:h-68")}
      {past.note && <p className="-mt-2 px-1 text-xs text-ink-faint">{past.note}</p>}
      {note && <p className="-mt-2 px-1 text-xs text-ink-faint">{note}</p>}
      {below}
      <ChartGrid specs={main}>{slot}</ChartGrid>
      <MoreMetrics
        specs={more}
        pointed={pointed ? more.includes(pointed) : false}
        figures={figures.length}
        aside={<MetricFigures metrics={figures} series={series} />}
      >
        {slot}
      </MoreMetrics>
    </section>
  );
}

/** External system: the scroll position. Scrolls once for each highlight. */
function useScrollTo(chart: ChartSpec | null | undefined, highlight: Highlight | null) {
  const id = chart && chartAnchor(chart.id);
  useEffect(() => {
    if (!id || !highlight) return;
    document.getElementById(id)?.scrollIntoView({ block: "center" });
  }, [id, highlight]);
}

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
function chartAnchor(chartId: string): string {
  return `chart-${chartId}`;
}

/** A chart, or a placeholder of the same height until there is data. */
function ChartSlot({
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

interface MetricFiguresProps {
  metrics: readonly string[];
  series: RunSeries;
}

/** Metrics as single values: those that never change or only count, of which a chart would be a straight line. */
function MetricFigures({ metrics, series }: MetricFiguresProps) {
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

interface MoreMetricsProps {
  specs: readonly ChartSpec[];
  /** Number of metrics in `aside`. */
  figures: number;
  /** Metrics shown without a chart. */
  aside: ReactNode;
  /** Whether one of the metrics is highlighted, so that the section starts open. */
  pointed: boolean;
  children: ComponentProps<typeof ChartGrid>["children"];
}

/** All other metrics of the journal. The charts are created when the section is opened. */
function MoreMetrics({ specs, figures, aside, pointed, children }: MoreMetricsProps) {
  const [opened, setOpened] = useState(false);
  const count = specs.length + figures;
  if (count === 0) return null;
  const open = opened || pointed;
  return (
    <Disclosure
      open={open}
      onToggle={setOpened}
      summary={
        <span className="flex items-center gap-2">
          More metrics <Badge>{count}</Badge>
        </span>
      }
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && (
        <div className="flex flex-col gap-4 pt-2 pb-2.5">
          {specs.length > 0 && <ChartGrid specs={specs}>{children}</ChartGrid>}
          {aside}
        </div>
      )}
    </Disclosure>
  );
}

interface ChartGridProps {
  specs: readonly ChartSpec[];
  /** Renders a chart of the height of that class. */
  children: (spec: ChartSpec, height: string) => ReactNode;
}

/** Charts in two columns where there is room for them; a last one without a neighbour has the whole row, and is lower. */
function ChartGrid({ specs, children }: ChartGridProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 sm:[&>:last-child:nth-child(odd)]:col-span-2">
      {specs.map((spec, place) =>
        children(spec, place % 2 === 0 && place === specs.length - 1 ? "h-40 sm:h-32" : "h-40"),
      )}
    </div>
  );
}
