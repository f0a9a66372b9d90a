"use client";

import { useEffect, useRef, useState } from "react";
import { useQueryString } from "@/lib/url";
import type { ChartGroup } from "./group";
import { type ChartView, readView, writeView } from "./prepare/view";

/** Browsers refuse an address that changes with every pixel of a slider. */
const WRITE_AFTER = 200;

/** How the page's charts are looked at, kept in its address. */
export function useChartView(
  group: ChartGroup,
): [view: ChartView, change: (change: Partial<ChartView>) => void] {
  const [query] = useQueryString();
  const [view, setView] = useState(() => readView(query));
  const timer = useRef(0);
  // External system: the address, which may belong to another page by then.
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const change = (part: Partial<ChartView>) => {
    const next = { ...view, ...part };
    setView(next);
    if (next.axis !== view.axis) {
      // Positions on one axis mean nothing on another.
      group.moveTo(null);
      group.reset();
    }
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const search = new URLSearchParams(window.location.search);
      writeView(search, next);
      window.history.replaceState(null, "", `${window.location.pathname}?${search}`);
    }, WRITE_AFTER);
  };
  return [view, change];
}
