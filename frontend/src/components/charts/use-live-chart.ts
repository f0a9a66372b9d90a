"use client";

import { type RefObject, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { Window } from "@/lib/stream";
import type { ChartGroup } from "./group";
import { LiveChart, type Shown } from "./live-chart";
import type { ChartSpec } from "./prepare/model";
import type { ChartView } from "./prepare/view";

export interface LiveChartOptions {
  /** Keep it the same object as long as it says the same: another one is another chart. */
  spec: ChartSpec;
  view: ChartView;
  group: ChartGroup;
  hidden: ReadonlySet<string>;
  highlight?: Window | null;
}

interface Live {
  chart: LiveChart;
  canvas: RefObject<HTMLDivElement | null>;
  shown: Shown;
}

export function useLiveChart({
  spec,
  view,
  group,
  hidden,
  highlight = null,
}: LiveChartOptions): Live {
  const { smoothing, log, outliers } = view;
  const look = useMemo(
    () => ({ smoothing, log, outliers, hidden, highlight }),
    [smoothing, log, outliers, hidden, highlight],
  );
  const canvas = useRef<HTMLDivElement>(null);
  // The look it starts with is replaced by the effect below whenever it changes.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const chart = useMemo(() => new LiveChart(spec, group, look), [spec, group]);
  const shown = useSyncExternalStore(chart.subscribe, chart.getShown, chart.getShown);

  // External systems: the plot on its canvas, and what it draws.
  useEffect(() => (canvas.current ? chart.attach(canvas.current) : undefined), [chart]);
  useEffect(() => chart.setLook(look), [chart, look]);

  return { chart, canvas, shown };
}
