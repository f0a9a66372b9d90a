"use client";

import { useEffect, useRef, useState } from "react";
import { changeQueryString, searchOf, useQueryString } from "@/lib/url";
import type { ChartGroup } from "../live/chart-group";
import { type ChartSettings, readChartSettings, writeChartSettings } from "./chart-settings";

/**
 * Milliseconds between writes to the address. Browsers refuse more frequent ones, as happen while a slider is
 * dragged.
 */
const WRITE_AFTER = 200;

/** The settings of the page's charts, kept in its address. */
export function useChartSettings(
  group: ChartGroup,
): [settings: ChartSettings, change: (change: Partial<ChartSettings>) => void] {
  const [query] = useQueryString();
  const [settings, setSettings] = useState(() => readChartSettings(query));
  /** What was changed and is not in the address yet. Other charts of the page write theirs. */
  const unwritten = useRef<Partial<ChartSettings>>({});
  const timer = useRef(0);
  // External system: a timer. It must not fire after the page was left, as the address is another
  // page's then.
  useEffect(() => () => window.clearTimeout(timer.current), []);

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
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(write, WRITE_AFTER);
  };
  return [settings, change];
}
