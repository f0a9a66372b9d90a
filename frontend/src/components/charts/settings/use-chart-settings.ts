"use client";

import { useEffect, useRef, useState } from "react";
import { changeQueryString, searchOf, useQueryString, writeAfter } from "@/lib/query-string";
import type { ChartGroup } from "../live/chart-group";
import { type ChartSettings, readChartSettings, writeChartSettings } from "./chart-settings";

/** Milliseconds without a change after which the address follows: a slider that is dragged changes it all the time. */
const WRITE_AFTER = 200;

/** The settings of the page's charts, kept in its address. */
export function useChartSettings(
  group: ChartGroup,
): [settings: ChartSettings, change: (change: Partial<ChartSettings>) => void] {
  const [query] = useQueryString();
  const [settings, setSettings] = useState(() => readChartSettings(query));
  /** What was changed and is not in the address yet. Other charts of the page write theirs. */
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
