"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { Listeners, type AxisWindow } from "@/lib/stream";

/** What the charts of a page share: one cursor and one zoom, in the units of their axis. */
export class ChartGroup {
  private position: number | null = null;
  private shown: AxisWindow | null = null;
  private readonly cursors = new Listeners<[]>();
  private readonly windows = new Listeners<[]>();

  readonly onCursor = this.cursors.add;
  readonly onWindow = this.windows.add;
  readonly getCursor = () => this.position;
  /** Null: everything there is. */
  readonly getWindow = () => this.shown;

  readonly moveTo = (x: number | null) => {
    if (x === this.position) return;
    this.position = x;
    this.cursors.tell();
  };

  readonly zoom = (window: AxisWindow | null) => {
    this.shown = window;
    this.windows.tell();
  };

  readonly reset = () => this.zoom(null);
}

export function useChartGroup(): ChartGroup {
  const [group] = useState(() => new ChartGroup());
  return group;
}

export function useZoomWindow(group: ChartGroup): AxisWindow | null {
  return useSyncExternalStore(group.onWindow, group.getWindow, () => null);
}

export function useCursor(group: ChartGroup): number | null {
  return useSyncExternalStore(group.onCursor, group.getCursor, () => null);
}

/** Fetches what was thinned away wherever the group zooms to. */
export function useZoomDetail(
  group: ChartGroup,
  pool: { zoom: (window: AxisWindow | null) => void },
) {
  // External system: the group's zoom, and through the pool the service.
  useEffect(() => {
    const follow = () => pool.zoom(group.getWindow());
    follow();
    return group.onWindow(follow);
  }, [group, pool]);
}
