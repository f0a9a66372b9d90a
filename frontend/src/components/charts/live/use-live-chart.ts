"use client";

import { type RefObject, useEffect, useMemo, useRef } from "react";
import { useStore } from "@/lib/use-store";
import type { AxisWindow } from "@/stream/series/axis";
import type { ChartSpec } from "../prepare/model";
import type { ChartSettings } from "../settings/chart-settings";
import type { ChartGroup } from "./chart-group";
import { LiveChart, type Shown } from "./live-chart";

export interface LiveChartOptions {
  /** Memoise it: a new object rebuilds the chart. */
  spec: ChartSpec;
  settings: ChartSettings;
  group: ChartGroup;
  hidden: ReadonlySet<string>;
  highlight?: AxisWindow | null;
}

interface LiveChartParts {
  chart: LiveChart;
  canvas: RefObject<HTMLDivElement | null>;
  shown: Shown;
}

export function useLiveChart({
  spec,
  settings,
  group,
  hidden,
  highlight = null,
}: LiveChartOptions): LiveChartParts {
  const { smoothing, outliers } = settings;
  const log = settings.log.includes(spec.id);
  const display = useMemo(
    () => ({ smoothing, log, outliers, hidden, highlight }),
    [smoothing, log, outliers, hidden, highlight],
  );
  const canvas = useRef<HTMLDivElement>(null);
  // The options that the chart starts with are replaced by the effect below whenever they change.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const chart = useMemo(() => new LiveChart(spec, group, display), [spec, group]);
  const shown = useStore(chart.shown);

  // External systems: the plot on its canvas, and what it draws.
  useEffect(() => (canvas.current ? chart.attach(canvas.current) : undefined), [chart]);
  useEffect(() => chart.setDisplay(display), [chart, display]);

  return { chart, canvas, shown };
}
