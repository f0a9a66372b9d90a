"use client";

import { type RefObject, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { AxisWindow } from "@/lib/stream";
import type { ChartGroup } from "./chart-group";
import { LiveChart, type Shown } from "./live-chart";
import type { ChartSpec } from "../prepare/model";
import type { ChartSettings } from "../settings/chart-settings";

export interface LiveChartOptions {
  /** Keep it the same object as long as it says the same: another one is another chart. */
  spec: ChartSpec;
  settings: ChartSettings;
  group: ChartGroup;
  hidden: ReadonlySet<string>;
  highlight?: AxisWindow | null;
}

interface Live {
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
}: LiveChartOptions): Live {
  const { smoothing, log, outliers } = settings;
  const drawing = useMemo(
    () => ({ smoothing, log, outliers, hidden, highlight }),
    [smoothing, log, outliers, hidden, highlight],
  );
  const canvas = useRef<HTMLDivElement>(null);
  // The look it starts with is replaced by the effect below whenever it changes.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const chart = useMemo(() => new LiveChart(spec, group, drawing), [spec, group]);
  const shown = useSyncExternalStore(chart.subscribe, chart.getShown, chart.getShown);

  // External systems: the plot on its canvas, and what it draws.
  useEffect(() => (canvas.current ? chart.attach(canvas.current) : undefined), [chart]);
  useEffect(() => chart.setDrawing(drawing), [chart, drawing]);

  return { chart, canvas, shown };
}
