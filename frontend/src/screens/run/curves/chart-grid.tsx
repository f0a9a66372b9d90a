"use client";

import clsx from "clsx";
import {
  ArrowLeft,
  ArrowRight,
  Eye,
  EyeOff,
  GripVertical,
  LayoutGrid,
  Minus,
  Plus,
} from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useNameOfAlgorithm } from "@/api/choices";
import { useMetricRegistry } from "@/api/metric-registry";
import type { RunDetail } from "@/api/types";
import { ChartCard, ChartHelp } from "@/charts/chart-card";
import type { ChartGroup } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { ChartToolbar } from "@/charts/chart-toolbar";
import type { ChartAxis } from "@/charts/plot-options";
import type { ChartMark, MarkKind } from "@/charts/prepare/marks";
import type { ChartSpec } from "@/charts/prepare/model";
import { brief, decimal, plural } from "@/lib/number";
import type { AxisWindow } from "@/stream/series/axis";
import type { RunSeries } from "@/stream/series/run-series";
import type { RunCurves } from "@/stream/series/run-series-pool";
import { Boundary } from "@/ui/boundary";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { scrollIfAwaited } from "../tabs/tab-address";
import {
  arrange,
  type ChartSize,
  isUsual,
  placeAt,
  resized,
  toggleHidden,
  useChartLayout,
  usualSize,
} from "./chart-layout";
import { chartOf, useCharts } from "./chart-specs";
import { ChildrenBar } from "./children";
import { useEventMarks } from "./event-marks";
import { type Highlight, useStreamedEnds } from "./highlight";
import { usePast } from "./past";
import { REWARD_CHART, REWARD_TITLE, RewardComponents } from "./reward-components";
import type { RunCharts, useBackdrop } from "./shared-chart-state";

interface CurvesProps {
  run: RunDetail;
  charts: RunCharts;
  backdrop: Pick<ReturnType<typeof useBackdrop>, "behind" | "note">;
  highlight: Highlight | null;
}

/** Events that changed the course of training: they are marked on every chart. */
const COURSE: readonly MarkKind[] = ["steered", "fork", "resumed"];

/** The charts of a run, and the data to draw one. */
function useDrawing({ run, charts, backdrop, highlight }: CurvesProps) {
  const { curves, settings, changeSettings, group } = charts;
  const { series, state } = curves;
  const past = usePast(run, settings);
  const { first, main, more, components, figures } = useCharts(
    run,
    series,
    past.shown,
    backdrop.behind,
    charts.children.series,
  );
  const marks = useEventMarks(run, series, settings.axis);
  const course = useMemo(() => marks.filter(({ kind }) => COURSE.includes(kind)), [marks]);
  const pointed = highlight
    ? components.includes(highlight.metric)
      ? REWARD_CHART
      : (chartOf([first, ...main, ...more], highlight.metric)?.id ?? null)
    : null;
  useScrollTo(pointed, highlight);
  const steps = highlight && settings.axis === "step" ? highlight.steps : null;
  const waiting = state.phase !== "ready" && series.revision === 0 ? state.phase : null;
  return {
    ...{ first, main, more, components, figures, past, pointed },
    toolbar: (
      <ChartToolbar
        {...{ settings, group }}
        onChange={changeSettings}
        hasEvents={marks.length > 0}
        hasPast={past.exists}
      />
    ),
    slot: (spec: ChartSpec) => ({
      ...{ spec, settings, group, waiting },
      onSettings: changeSettings,
      hasPast: past.exists,
      marks: spec === first ? marks : course,
      marksAreLines: spec !== first,
      highlight: spec.id === pointed ? steps : null,
    }),
    componentsSlot: {
      ...{ series, settings, group, metrics: components },
      highlight: pointed === REWARD_CHART ? steps : null,
    },
  };
}

interface ReturnChartProps extends CurvesProps {
  /** Rendered below the chart, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
}

/**
 * The curve of the return, large, with the marks and actions of the chosen step. Below it, a small chart of the
 * components of the reward, if it has several.
 */
export function ReturnChart({ under, ...props }: ReturnChartProps) {
  const { first, past, components, pointed, toolbar, slot, componentsSlot } = useDrawing(props);
  const { note } = props.backdrop;
  return (
    <section aria-label="Curves" className="flex min-w-0 flex-col gap-3">
      <CurvesNotices curves={props.charts.curves} />
      {toolbar}
      <ChartSlot {...slot(first)} under={under} className="h-60 md:h-80" />
      <ChildrenBar childRuns={props.charts.children} />
      {past.note && <p className="-mt-1 px-1 text-xs text-ink-faint">{past.note}</p>}
      {note && <p className="-mt-1 px-1 text-xs text-ink-faint">{note}</p>}
      {components.length > 0 && (
        <WhenNear title={REWARD_TITLE} className={HEIGHTS.small} always={pointed === REWARD_CHART}>
          <ComponentsSlot {...componentsSlot} height={PIXELS.small} />
        </WhenNear>
      )}
    </section>
  );
}

const SPANS: Record<ChartSize, string> = {
  small: "@xl:col-span-3 @4xl:col-span-2",
  medium: "@xl:col-span-3",
  large: "",
};
const PIXELS: Record<ChartSize, number> = { small: 160, medium: 192, large: 256 };
const HEIGHTS: Record<ChartSize, string> = {
  small: "h-40",
  medium: "h-48",
  large: "h-56 md:h-64",
};

/** All metrics of a run, in a grid that is arranged for all runs of its algorithm. */
export function AllCharts(props: CurvesProps) {
  const { run, charts } = props;
  const { first, main, more, components, figures, pointed, toolbar, slot, componentsSlot } =
    useDrawing(props);
  const [layout, change] = useChartLayout(run.algo);
  const algorithm = useNameOfAlgorithm(run.algo);
  const [arranging, setArranging] = useState(false);
  const all = new Map([first, ...main, ...more].map((spec) => [spec.id, spec]));
  const titleOf = (id: string) => all.get(id)?.title ?? REWARD_TITLE;
  const [top, ...rest] = all.keys();
  const ids = arrange([top!, ...(components.length > 0 ? [REWARD_CHART] : []), ...rest], layout);
  const isHidden = (id: string) => layout.hidden.includes(id) && id !== pointed;
  const shown = ids.filter((id) => !isHidden(id));
  const hidden = ids.filter(isHidden);
  const wide = [first.id, REWARD_CHART];
  const others = shown.filter((id) => !wide.includes(id));
  const sizeOf = (id: string) =>
    layout.sizes[id] ??
    (wide.includes(id) ? "large" : usualSize(others.indexOf(id), others.length));
  return (
    <section aria-label="Curves" className="@container flex min-w-0 flex-col gap-4">
      <CurvesNotices curves={charts.curves} />
      <div className="sticky top-24 z-10 -mx-4 -my-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 bg-bg px-4 py-2 max-md:static md:-mx-1 md:px-1">
        {toolbar}
        <span className="flex flex-wrap items-center gap-2">
          {arranging && !isUsual(layout) && (
            <Button size="sm" variant="quiet" onClick={() => change(null)}>
              Restore the usual layout
            </Button>
          )}
          <Button
            size="sm"
            aria-pressed={arranging}
            className={arranging ? "bg-accent-tint! text-accent!" : undefined}
            icon={<LayoutGrid aria-hidden className="size-3.5" />}
            onClick={() => setArranging(!arranging)}
          >
            {arranging ? "Done" : "Arrange"}
          </Button>
        </span>
      </div>
      {arranging && (
        <p role="status" className="-mt-1 text-xs text-ink-soft">
          Move, resize and hide charts. The layout is kept in this browser for all {algorithm} runs.
        </p>
      )}
      <ChildrenBar childRuns={charts.children} />
      <ul aria-label="Charts" className="grid grid-cols-6 gap-4">
        {shown.map((id, place) => {
          const spec = all.get(id);
          const title = titleOf(id);
          const size = sizeOf(id);
          const resize = (next: ChartSize) =>
            change({ ...layout, sizes: { ...layout.sizes, [id]: next } });
          const moveTo = (other: string | undefined) =>
            other !== undefined && change(placeAt(layout, ids, id, other));
          return (
            <li
              key={id}
              className={clsx("col-span-6 flex min-w-0 flex-col", SPANS[size])}
              onDragOver={arranging ? (event) => event.preventDefault() : undefined}
              onDrop={
                arranging
                  ? (event) => {
                      event.preventDefault();
                      const dragged = event.dataTransfer.getData(DRAGGED);
                      if (dragged) change(placeAt(layout, ids, dragged, id));
                    }
                  : undefined
              }
            >
              {arranging && (
                <ArrangeBar
                  id={id}
                  title={title}
                  smaller={resized(size, -1)}
                  larger={resized(size, 1)}
                  onResize={resize}
                  onBack={place > 0 ? () => moveTo(shown[place - 1]) : null}
                  onOn={place < shown.length - 1 ? () => moveTo(shown[place + 1]) : null}
                  onHide={shown.length > 1 ? () => change(toggleHidden(layout, id)) : null}
                />
              )}
              <WhenNear title={title} className={HEIGHTS[size]} always={id === pointed}>
                {spec ? (
                  <ChartSlot {...slot(spec)} className={HEIGHTS[size]} />
                ) : (
                  <ComponentsSlot {...componentsSlot} height={PIXELS[size]} />
                )}
              </WhenNear>
            </li>
          );
        })}
      </ul>
      {hidden.length > 0 && (
        <div className="flex flex-wrap items-center gap-1.5 text-xs text-ink-soft">
          <span className="mr-1">Hidden:</span>
          {hidden.map((id) => (
            <Button
              key={id}
              size="sm"
              icon={<Eye aria-hidden className="size-3.5" />}
              aria-label={`Show ${titleOf(id)}`}
              onClick={() => change(toggleHidden(layout, id))}
            >
              {titleOf(id)}
            </Button>
          ))}
        </div>
      )}
      {figures.length > 0 && (
        <Card title="Metrics without a curve" bodyClass="px-4 py-2">
          <MetricFigures metrics={figures} series={charts.curves.series} />
        </Card>
      )}
    </section>
  );
}

const DRAGGED = "application/x-rlviz-chart";

interface ArrangeBarProps {
  id: string;
  title: string;
  smaller: ChartSize | null;
  larger: ChartSize | null;
  onResize: (size: ChartSize) => void;
  /** null: no such move is possible. */
  onBack: (() => void) | null;
  onOn: (() => void) | null;
  onHide: (() => void) | null;
}

/** Moves, resizes and hides one chart: by buttons, and by dragging the handle. */
function ArrangeBar({
  id,
  title,
  smaller,
  larger,
  onResize,
  onBack,
  onOn,
  onHide,
}: ArrangeBarProps) {
  const key = (label: string, Icon: typeof Eye, act: (() => void) | null) => (
    <Button
      size="sm"
      variant="quiet"
      aria-label={`${title}: ${label}`}
      title={label.charAt(0).toUpperCase() + label.slice(1)}
      unavailable={act === null && "Not possible here"}
      icon={<Icon aria-hidden className="size-3.5" />}
      onClick={() => act?.()}
    />
  );
  return (
    <div className="mb-1 flex items-center rounded-md border border-dashed border-line-strong bg-sunken">
      <span
        aria-hidden
        draggable
        onDragStart={(event) => event.dataTransfer.setData(DRAGGED, id)}
        className="grid h-7 w-8 cursor-grab place-items-center text-ink-faint max-md:hidden"
      >
        <GripVertical className="size-3.5" />
      </span>
      {key("move back", ArrowLeft, onBack)}
      {key("move on", ArrowRight, onOn)}
      {key("smaller", Minus, smaller && (() => onResize(smaller)))}
      {key("larger", Plus, larger && (() => onResize(larger)))}
      <span className="ml-auto">{key("hide", EyeOff, onHide)}</span>
    </div>
  );
}

/** Pixels outside the window from which a chart is drawn. */
const NEAR = "400px";

interface WhenNearProps {
  title: string;
  /** The class of the height of the chart. */
  className: string;
  /** Whether it is drawn even out of view. */
  always: boolean;
  children: ReactNode;
}

/** Draws a chart once it is near the window: a run may have hundreds of metrics. */
function WhenNear({ title, className, always, children }: WhenNearProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(() => typeof IntersectionObserver === "undefined");
  // External system: the scroll position.
  useEffect(() => {
    if (near || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: NEAR },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [near]);
  return (
    <div ref={place} className="min-w-0 grow">
      {near || always ? (
        children
      ) : (
        <Card title={title} bodyClass="px-3 pt-2.5 pb-1.5">
          <div className="h-6" />
          <div className={className} />
        </Card>
      )}
    </div>
  );
}

/** Why curves are missing, or missing a part. */
function CurvesNotices({ curves: { state } }: { curves: RunCurves }) {
  return (
    <>
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
    </>
  );
}

/** External system: the scroll position. Scrolls once for each highlight. */
function useScrollTo(chart: string | null, highlight: Highlight | null) {
  const id = chart && chartAnchor(chart);
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
    <div id={chartAnchor(spec.id)} ref={scrollIfAwaited} className="h-full min-w-0 scroll-mt-40">
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

/** The components of the reward in the place of a chart. */
function ComponentsSlot(props: ComponentProps<typeof RewardComponents>) {
  return (
    <div
      id={chartAnchor(REWARD_CHART)}
      ref={scrollIfAwaited}
      className="h-full min-w-0 scroll-mt-40"
    >
      <Boundary what="The chart">
        <RewardComponents {...props} />
      </Boundary>
    </div>
  );
}

interface MetricFiguresProps {
  metrics: readonly string[];
  series: RunSeries;
}

/** Metrics as single values: those that never change or only count, because their charts would be straight lines. */
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
