import uPlot from "uplot";
import type { AxisWindow } from "@/stream/series/axis";
import { isCrowded } from "../prepare/crowd";
import type { ChartModel, ChartSpec } from "../prepare/model";
import { layout } from "../prepare/rows";
import { watchClicks } from "./clicks";
import { createEmphasisLayer } from "./emphasis-layer";
import { type PlotHandlers, plotOptions } from "./options";
import { readTokenColors, watchTheme } from "./token-colors";
import { watchTouch } from "./touch";

export interface Plot {
  show(model: ChartModel): void;
  /** Moves the cursor to where another chart of the group has it. */
  setCursor(x: number | null): void;
  setHighlight(window: AxisWindow | null): void;
  /** Emphasises one series; null shows all alike. */
  emphasize(id: string | null): void;
  destroy(): void;
}

const STEPPED_BACK = 0.15;
/** Opacity of context. */
const CONTEXT = 0.7;

/** A uPlot that fills its element, follows the theme, and takes new data without being rebuilt. */
export function createPlot(
  element: HTMLElement,
  spec: ChartSpec,
  first: ChartModel,
  handlers: PlotHandlers & {
    resized: (width: number) => void;
    /** The series whose line is under the pointer; null if none is. */
    near: (id: string | null) => void;
    /** Called with the position on the axis of a click; drags are left out. */
    pick: (x: number) => void;
  },
): Plot {
  const current = {
    colors: readTokenColors(element),
    model: first,
    highlight: null as AxisWindow | null,
    scale: 1,
  };
  const size = { width: element.clientWidth, height: element.clientHeight };
  let emphasized: string | null = null;
  let cursor: number | null = null;
  let hovered = false;

  const plot = new uPlot(
    plotOptions(spec, current, size, handlers),
    first.data as uPlot.AlignedData,
    element,
  );
  const point = (left: number) => handlers.cursor(plot.posToVal(left, "x"));
  const entered = () => (hovered = true);
  const left = () => {
    hovered = false;
    handlers.cursor(null);
    handlers.near(null);
  };
  const moved = () => {
    if (!hovered || plot.cursor.left === undefined || plot.cursor.left < 0) return;
    point(plot.cursor.left);
    if (isCrowded(spec)) handlers.near(nearestSeries(plot, spec));
  };
  const unwatchClicks = watchClicks(plot.over, (left) => handlers.pick(plot.posToVal(left, "x")));
  plot.over.addEventListener("mouseenter", entered);
  plot.over.addEventListener("mouseleave", left);
  (plot.hooks.setCursor ??= []).push(moved);

  const resize = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = element;
    if (width === 0 || height === 0) return;
    plot.setSize({ width, height });
    handlers.resized(width);
  });
  resize.observe(element);
  const unwatchTheme = watchTheme(() => {
    current.colors = readTokenColors(element);
    plot.redraw();
  });
  const unwatchTouch = watchTouch(plot.over, {
    move: point,
    pinch: (before, after) => handlers.zoom(pinched(plot, before, after)),
  });

  // In a crowded chart the emphasised series is drawn on a layer of its own.
  const layer = isCrowded(spec) ? createEmphasisLayer(plot, spec, current) : null;
  const fade = () => setOpacities(plot, spec, current.model, layer ? null : emphasized);
  const placeCursor = () => {
    if (hovered) return;
    const at = cursor === null ? -1 : plot.valToPos(cursor, "x");
    const inside = at >= 0 && at <= plot.over.clientWidth;
    const top = inside ? plot.over.clientHeight / 2 : -10;
    plot.setCursor({ left: inside ? at : -10, top }, false);
  };
  fade();

  return {
    show(model) {
      current.model = model;
      fade();
      plot.setData(model.data as uPlot.AlignedData);
      layer?.show(emphasized);
      placeCursor();
    },
    setCursor(x) {
      cursor = x;
      placeCursor();
    },
    setHighlight(window) {
      current.highlight = window;
      plot.redraw(false);
    },
    emphasize(id) {
      if (id === emphasized) return;
      emphasized = id;
      if (layer) return layer.show(id);
      fade();
      plot.redraw(false);
    },
    destroy() {
      plot.over.removeEventListener("mouseenter", entered);
      plot.over.removeEventListener("mouseleave", left);
      layer?.destroy();
      unwatchClicks();
      unwatchTouch();
      unwatchTheme();
      resize.disconnect();
      plot.destroy();
    },
  };
}

/** Points are fainter than their line; while one series is emphasised, the others are fainter too. */
export function setOpacities(
  plot: uPlot,
  spec: ChartSpec,
  { faint }: ChartModel,
  emphasized: string | null,
) {
  layout(spec).forEach(({ series: { id, mode }, row, isContext }, i) => {
    const drawn = plot.series[i + 1];
    if (!drawn) return;
    const share = emphasized === null || emphasized === id ? 1 : STEPPED_BACK;
    const own = isContext ? CONTEXT : row === "raw" && mode !== "markers" ? faint : 1;
    drawn.alpha = share * own;
  });
}

/** Pixels within which a line counts as under the pointer. */
const NEAR = 16;

function nearestSeries(plot: uPlot, spec: ChartSpec): string | null {
  const { idx, top } = plot.cursor;
  if (idx === null || idx === undefined || top === undefined) return null;
  let best: string | null = null;
  let distance = NEAR;
  layout(spec).forEach(({ series, row }, i) => {
    const value = row === "line" ? plot.data[i + 1]?.[idx] : null;
    if (value === null || value === undefined) return;
    const away = Math.abs(plot.valToPos(value, "y") - top);
    if (away >= distance) return;
    distance = away;
    best = series.id;
  });
  return best;
}

/** The window in which both fingers stay on the positions that they first touched. */
function pinched(plot: uPlot, before: AxisWindow, after: AxisWindow): AxisWindow {
  const [from, to] = before.map((left) => plot.posToVal(left, "x")) as [number, number];
  const apart = Math.max(1, after[1] - after[0]);
  const scale = (to - from) / apart;
  const start = from - after[0] * scale;
  return [start, start + plot.over.clientWidth * scale];
}
