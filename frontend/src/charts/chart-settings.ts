"use client";

import { useEffect, useRef, useState } from "react";
import { USUAL_VIEW } from "@/api/run-opening";
import { changeQueryString, searchOf, useQueryString, writeAfter } from "@/lib/query-string";
import { AXES, type MetricAxis } from "@/stream/series/axis";
import type { ChartGroup } from "./chart-group";

/** Settings of a page's charts, kept in its address. */
export interface ChartSettings {
  smoothing: number;
  axis: MetricAxis;
  /** Ids of the charts with a logarithmic value axis. */
  log: readonly string[];
  /** Leave the most extreme points outside the range. */
  outliers: boolean;
  /** Mark the run's events. */
  events: boolean;
  /** Draw discarded curves, and those of the parents of a fork. */
  past: boolean;
}

export const DEFAULT_CHART_SETTINGS: ChartSettings = {
  smoothing: USUAL_VIEW.smoothing,
  axis: "step",
  log: [],
  outliers: false,
  events: true,
  past: true,
};

/** Above this, a curve is practically constant. */
export const MOST_SMOOTHING = 0.99;

const KEYS = {
  ...{ smoothing: "smooth", axis: "x", log: "log" },
  ...{ outliers: "outliers", events: "events", past: "past" },
} as const;

/** Reads the settings from the address. Invalid values count as the default. */
export function readChartSettings(query: URLSearchParams): ChartSettings {
  const smoothing = Number.parseFloat(query.get(KEYS.smoothing) ?? "");
  const axis = AXES.find((name) => name === query.get(KEYS.axis));
  return {
    smoothing: Number.isFinite(smoothing)
      ? Math.min(MOST_SMOOTHING, Math.max(0, smoothing))
      : DEFAULT_CHART_SETTINGS.smoothing,
    axis: axis ?? DEFAULT_CHART_SETTINGS.axis,
    log: [...new Set((query.get(KEYS.log) ?? "").split(",").filter(Boolean))],
    outliers: query.get(KEYS.outliers) === "1",
    events: query.get(KEYS.events) !== "0",
    past: query.get(KEYS.past) !== "0",
  };
}

/** Writes the settings into `query`, except defaults. */
export function writeChartSettings(query: URLSearchParams, settings: ChartSettings) {
  const put = (key: string, value: string, plain: boolean) =>
    plain ? query.delete(key) : query.set(key, value);
  put(
    KEYS.smoothing,
    String(settings.smoothing),
    settings.smoothing === DEFAULT_CHART_SETTINGS.smoothing,
  );
  put(KEYS.axis, settings.axis, settings.axis === DEFAULT_CHART_SETTINGS.axis);
  put(KEYS.log, settings.log.join(","), settings.log.length === 0);
  put(KEYS.outliers, "1", !settings.outliers);
  put(KEYS.events, "0", settings.events);
  put(KEYS.past, "0", settings.past);
}

/** The charts with a logarithmic axis once that of `chartId` is turned on or off. */
export function toggledLog({ log }: ChartSettings, chartId: string): string[] {
  return log.includes(chartId) ? log.filter((id) => id !== chartId) : [...log, chartId];
}

/** Milliseconds without a change after which the address follows: a slider that is dragged changes it all the time. */
const WRITE_AFTER = 200;

/** The settings of the page's charts, kept in its address. */
export function useChartSettings(
  group: ChartGroup,
): [settings: ChartSettings, change: (change: Partial<ChartSettings>) => void] {
  const [query] = useQueryString();
  const [settings, setSettings] = useState(() => readChartSettings(query));
  /** Changes that are not in the address yet. Other charts of the page write their own. */
  const unwritten = useRef<Partial<ChartSettings>>({});
  const forget = useRef<() => void>(undefined);
  // External system: the address, which is another page's once this one is left.
  useEffect(() => () => forget.current?.(), []);

  const write = () =>
    changeQueryString((now) => {
      writeChartSettings(now, { ...readChartSettings(now), ...unwritten.current });
      unwritten.current = {};
      return searchOf(now);
    });
  const change = (part: Partial<ChartSettings>) => {
    setSettings((now) => ({ ...now, ...part }));
    if (part.axis !== undefined && part.axis !== settings.axis) {
      // The cursor and the window are positions on the old axis.
      group.cursor.set(null);
      group.reset();
    }
    unwritten.current = { ...unwritten.current, ...part };
    forget.current?.();
    forget.current = writeAfter(WRITE_AFTER, write);
  };
  return [settings, change];
}

/** How a smoothed line is named on screen. */
export function smoothingLabel(smoothing: number): string {
  return smoothing > 0 ? `EMA ${smoothing.toFixed(2)}` : "no smoothing";
}
