"use client";

import { type ReactNode, useEffect, useMemo } from "react";
import type { RunDetail } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { ChartToolbar } from "@/charts/chart-toolbar";
import type { ChartAxis } from "@/charts/plot-options";
import type { MarkKind } from "@/charts/prepare/marks";
import type { ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import { plural } from "@/lib/number";
import type { RunCurves } from "@/stream/series/run-series-pool";
import { Notice } from "@/ui/notice";
import { ChartGrid } from "./chart-grid";
import { chartAnchor, ChartSlot } from "./chart-slot";
import type { Highlight } from "./highlight";
import { MetricFigures } from "./metric-figures";
import { MoreMetrics } from "./more-metrics";
import { chartOf } from "./select-charts";
import { useCharts } from "./use-charts";
import { useEventMarks } from "./use-event-marks";
import { usePast } from "./use-past";

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
