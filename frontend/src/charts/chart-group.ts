"use client";

import { useEffect, useState } from "react";
import { changeQueryString, searchOf, writeAfter } from "@/lib/query-string";
import { createStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import type { AxisWindow } from "@/stream/series/axis";
import type { StepScale } from "./prepare/axes";
import type { Interval } from "./prepare/model";

/**
 * State that the charts of a page share: cursor, zoom and moment, in the units of their axis. With `sharesSeries`, they
 * draw the same series, and emphasising a series on one chart emphasises it on all.
 */
export class ChartGroup {
  constructor(readonly sharesSeries = false) {}

  /** The series that charts with the same series emphasise; null for none. */
  readonly emphasized = createStore<string | null>(null);
  /** Position of the cursor; null while it is on no chart. */
  readonly cursor = createStore<number | null>(null);
  /** The visible part of the axis; null for all of it. */
  readonly window = createStore<AxisWindow | null>(null);

  /** An environment step to mark on every chart; null for none. */
  readonly moment = createStore<number | null>(null);
  /** Position of steps on the axis; null while unknown: then moments can be neither marked nor chosen. */
  readonly steps = createStore<StepScale | null>(null);
  /** Position of the menu of the moment, in pixels of the window; null while it is closed. */
  readonly menu = createStore<{ x: number; y: number } | null>(null);
  private picked: (() => void) | null = null;

  readonly zoom = this.window.set;
  readonly reset = () => this.window.set(null);
  /** Called when the user has chosen the moment on a chart; null: moments cannot be chosen. */
  readonly letPick = (picked: (() => void) | null) => {
    this.picked = picked;
  };
  /** Chooses the moment at a position on the axis. */
  readonly pick = (x: number) => {
    const steps = this.steps.get();
    if (!this.picked || !steps) return;
    this.moment.set(Math.max(0, Math.round(steps.stepAt(x))));
    this.picked();
  };
  /** Marks the moment at a position on the axis and opens its menu. Returns whether moments can be chosen. */
  readonly askAt = (x: number, point: { x: number; y: number }): boolean => {
    const steps = this.steps.get();
    if (!this.picked || !steps) return false;
    this.moment.set(Math.max(0, Math.round(steps.stepAt(x))));
    this.menu.set(point);
    return true;
  };
}

export function useChartGroup({ sharesSeries = false } = {}): ChartGroup {
  const [group] = useState(() => new ChartGroup(sharesSeries));
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

export function useStepScale(group: ChartGroup): StepScale | null {
  return useStore(group.steps);
}

/** Makes moments on the charts of the group selectable. `steps` gives the position of steps on their axis. */
export function usePicking(
  group: ChartGroup,
  onPick: (() => void) | null,
  steps: StepScale | null,
) {
  // External system: the charts, which report clicks.
  useEffect(() => {
    group.letPick(onPick);
    return () => group.letPick(null);
  }, [group, onPick]);
  // External system: the state that the charts share outside React.
  useEffect(() => group.steps.set(steps), [group, steps]);
}

/** Milliseconds without a change after which the address is updated, because users may scrub. */
const WRITE_AFTER = 250;

/** Keeps the moment of a group in the address (`?moment=12288`), so that it can be shared. */
export function useMomentAddress(group: ChartGroup) {
  // External system: the address.
  useEffect(() => {
    const asked = new URLSearchParams(window.location.search).get("moment") ?? "";
    if (/^\d{1,15}$/.test(asked)) group.moment.set(Number(asked));
    let forget: (() => void) | undefined;
    const write = () =>
      changeQueryString((query) => {
        const moment = group.moment.get();
        if (moment === null) query.delete("moment");
        else query.set("moment", String(moment));
        return searchOf(query);
      });
    const leave = group.moment.subscribe(() => {
      forget?.();
      forget = writeAfter(WRITE_AFTER, write);
    });
    return () => {
      leave();
      forget?.();
    };
  }, [group]);
}

/** When the group is zoomed, requests the points that were thinned away in that part of the axis. */
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

/** A window `factor` times as wide around `center`, within `bounds`; null if it covers all of them. */
export function zoomed(
  window: AxisWindow,
  center: number,
  factor: number,
  bounds: Interval,
): AxisWindow | null {
  const [from, to] = [
    center - (center - window[0]) * factor,
    center + (window[1] - center) * factor,
  ];
  return within([from, to], bounds);
}

/** The window moved and cut to lie within `bounds`; null if it covers all of them. */
export function within([from, to]: AxisWindow, [low, high]: Interval): AxisWindow | null {
  const width = to - from;
  if (!(width > 0) || width >= high - low) return null;
  const start = Math.min(Math.max(from, low), high - width);
  return [start, start + width];
}

/** The position `by` rows away from the one nearest to `x`. With `x` null: the newest or the oldest. */
export function stepped(positions: readonly number[], x: number | null, by: number): number | null {
  if (positions.length === 0) return null;
  const last = positions.length - 1;
  if (x === null) return positions[by < 0 ? last : 0]!;
  const target = nearest(positions, x) + by;
  return positions[Math.min(last, Math.max(0, target))]!;
}

function nearest(positions: readonly number[], x: number): number {
  let best = 0;
  let low = 0;
  let high = positions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (Math.abs(positions[middle]! - x) < Math.abs(positions[best]! - x)) best = middle;
    if (positions[middle]! < x) low = middle + 1;
    else high = middle - 1;
  }
  return best;
}
