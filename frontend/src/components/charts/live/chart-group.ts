"use client";

import { useEffect, useState } from "react";
import { createStore, useStore } from "@/lib/store";
import type { AxisWindow } from "@/lib/stream";

/** What the charts of a page share: one cursor, one zoom and one moment, in the units of their axis. */
export class ChartGroup {
  /** Where the cursor is; null while it is on no chart. */
  readonly cursor = createStore<number | null>(null);
  /** The part of the axis that is shown; null for all of it. */
  readonly window = createStore<AxisWindow | null>(null);

  /** The environment step that somebody looks at, marked on every chart whose axis counts steps; null for none. */
  readonly moment = createStore<number | null>(null);
  private picks = false;

  readonly zoom = this.window.set;
  readonly reset = () => this.window.set(null);
  /** Whether a click on a chart chooses the moment. */
  readonly letPick = (picks: boolean) => {
    this.picks = picks;
  };
  readonly pick = (x: number) => {
    if (this.picks) this.moment.set(Math.max(0, Math.round(x)));
  };
}

export function useChartGroup(): ChartGroup {
  const [group] = useState(() => new ChartGroup());
  return group;
}

export function useZoomWindow(group: ChartGroup): AxisWindow | null {
  return useStore(group.window);
}

export function useCursor(group: ChartGroup): number | null {
  return useStore(group.cursor);
}

export function useMoment(group: ChartGroup): number | null {
  return useStore(group.moment);
}

/** Lets a click on a chart of the group choose the moment, as long as `picks` holds. */
export function usePicking(group: ChartGroup, picks: boolean) {
  // External system: the charts, which hear of clicks.
  useEffect(() => {
    group.letPick(picks);
    return () => group.letPick(false);
  }, [group, picks]);
}

/** Fetches what was thinned away in the part of the axis that the group shows. */
export function useZoomDetail(
  group: ChartGroup,
  pool: { zoom: (window: AxisWindow | null) => void },
) {
  // External system: the group's zoom, and through the pool the service.
  useEffect(() => {
    const fetchShown = () => pool.zoom(group.window.get());
    fetchShown();
    return group.window.subscribe(fetchShown);
  }, [group, pool]);
}
