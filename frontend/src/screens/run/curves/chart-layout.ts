"use client";

import { movedItem } from "@/lib/order";
import { createKeptStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";

/** Widths of a chart in the grid: a third, half, or all of a row. */
export const CHART_SIZES = ["small", "medium", "large"] as const;
export type ChartSize = (typeof CHART_SIZES)[number];

/** The arrangement of the charts of an algorithm's runs. Other charts follow in their usual order. */
export interface ChartLayout {
  /** Ids of charts, first to last. */
  order: readonly string[];
  hidden: readonly string[];
  sizes: Readonly<Record<string, ChartSize>>;
}

export const USUAL_LAYOUT: ChartLayout = { order: [], hidden: [], sizes: {} };

/** `ids` in the order of the layout. A chart that is not in the layout stays behind the one it usually follows. */
export function arrange(ids: readonly string[], { order }: ChartLayout): string[] {
  const placed = order.filter((id) => ids.includes(id));
  ids.forEach((id, usual) => {
    if (placed.includes(id)) return;
    const before = ids.slice(0, usual).findLast((one) => placed.includes(one));
    placed.splice(before === undefined ? 0 : placed.indexOf(before) + 1, 0, id);
  });
  return placed;
}

/** The layout with a chart in the place of another one. `ids`: all charts, in their order. */
export function placeAt(
  layout: ChartLayout,
  ids: readonly string[],
  id: string,
  target: string,
): ChartLayout {
  const order = movedItem(ids, id, target);
  return order === ids ? layout : { ...layout, order };
}

/** The layout with a chart hidden, or shown again. */
export function toggleHidden(layout: ChartLayout, id: string): ChartLayout {
  const { hidden } = layout;
  return {
    ...layout,
    hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id],
  };
}

/** The size `by` steps from `size`; null if there is none. */
export function resized(size: ChartSize, by: number): ChartSize | null {
  return CHART_SIZES[CHART_SIZES.indexOf(size) + by] ?? null;
}

/** The size of the chart at a place among `count` charts: thirds, and halves at the end where thirds leave a gap. */
export function usualSize(place: number, count: number): ChartSize {
  const over = count % 3;
  if (count === 1) return "large";
  if (over === 0) return "small";
  return place >= count - (over === 1 ? 4 : 2) ? "medium" : "small";
}

export const isUsual = ({ order, hidden, sizes }: ChartLayout) =>
  order.length === 0 && hidden.length === 0 && Object.keys(sizes).length === 0;

type Layouts = Readonly<Record<string, ChartLayout>>;

/** The layouts by algorithm, kept in this browser. */
const layouts = createKeptStore<Layouts>("rlviz-chart-layouts", {}, readLayouts);

export function readLayouts(kept: unknown): Layouts | null {
  if (typeof kept !== "object" || kept === null) return null;
  return Object.fromEntries(
    Object.entries(kept).map(([algorithm, layout]) => [algorithm, readLayout(layout)]),
  );
}

function readLayout(kept: unknown): ChartLayout {
  const { order, hidden, sizes } = (typeof kept === "object" && kept ? kept : {}) as Record<
    string,
    unknown
  >;
  const isSize = (size: unknown): size is ChartSize => CHART_SIZES.includes(size as ChartSize);
  const known = Object.entries(typeof sizes === "object" && sizes ? sizes : {});
  return {
    order: readIds(order),
    hidden: readIds(hidden),
    sizes: Object.fromEntries(
      known.filter((entry): entry is [string, ChartSize] => isSize(entry[1])),
    ),
  };
}

function readIds(kept: unknown): string[] {
  return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
}

/** The layout of the charts of an algorithm's runs; setting null restores the usual one. */
export function useChartLayout(
  algorithm: string,
): [layout: ChartLayout, change: (next: ChartLayout | null) => void] {
  const all = useStore(layouts);
  const change = (next: ChartLayout | null) => {
    const rest = { ...layouts.get() };
    delete rest[algorithm];
    layouts.set(next === null || isUsual(next) ? rest : { ...rest, [algorithm]: next });
  };
  return [all[algorithm] ?? USUAL_LAYOUT, change];
}
