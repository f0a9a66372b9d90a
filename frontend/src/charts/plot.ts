import uPlot from "uplot";
import type { AxisWindow } from "@/stream/series/axis";
import { readTokenColors, watchTheme } from "./canvas";
import { LEAST_DRAG, type PlotHandlers, plotOptions, type PlotState } from "./plot-options";
import { isCrowded, layout } from "./prepare/curve";
import type { ChartModel, ChartSpec } from "./prepare/model";

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
    /** A right-click, or a long press, at `point` of the window. Returns whether it is handled. */
    ask: (x: number, point: { x: number; y: number }) => boolean;
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
  const asked = (event: MouseEvent) => {
    const { clientX: x, clientY: y } = event;
    const at = x - plot.over.getBoundingClientRect().left;
    if (handlers.ask(plot.posToVal(at, "x"), { x, y })) event.preventDefault();
  };
  plot.over.addEventListener("contextmenu", asked);
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
      plot.over.removeEventListener("contextmenu", asked);
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

interface TouchHandlers {
  /** Positions of the fingers, in pixels from the left of the element. */
  move: (left: number) => void;
  pinch: (before: AxisWindow, after: AxisWindow) => void;
}

/** One finger reads values and two fingers zoom. Vertical movement still scrolls the page. */
function watchTouch(element: HTMLElement, { move, pinch }: TouchHandlers): () => void {
  const fingers = new Map<number, number>();
  const at = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  const pair = (): AxisWindow => {
    const [a = 0, b = 0] = fingers.values();
    return a < b ? [a, b] : [b, a];
  };
  const moved = (event: PointerEvent) => {
    if (event.pointerType !== "touch" || !fingers.has(event.pointerId)) return;
    const before = pair();
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) move(at(event));
    else if (fingers.size === 2) pinch(before, pair());
  };
  const down = (event: PointerEvent) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, at(event));
    moved(event);
  };
  const up = (event: PointerEvent) => fingers.delete(event.pointerId);
  element.style.touchAction = "pan-y";
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", moved);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", moved);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", up);
  };
}

/**
 * Reports clicks on `element` with their position in pixels from its left edge. The end of a drag is no
 * click.
 */
function watchClicks(element: HTMLElement, clicked: (left: number) => void): () => void {
  let pressedAt = 0;
  const down = (event: PointerEvent) => (pressedAt = event.clientX);
  const click = (event: MouseEvent) => {
    if (Math.abs(event.clientX - pressedAt) < LEAST_DRAG)
      clicked(event.clientX - element.getBoundingClientRect().left);
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("click", click);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("click", click);
  };
}

export interface EmphasisLayer {
  /** Draws the line of this series over all others; null draws none. */
  show(id: string | null): void;
  destroy(): void;
}

const WIDTH = 3;
/** Width of the outline in the background's colour, which sets the line off from the others. */
const EDGE = 2;

/**
 * A canvas over the plot for the emphasised line. To redraw a hundred lines whenever the pointer crosses one
 * would take longer than a frame.
 */
function createEmphasisLayer(plot: uPlot, spec: ChartSpec, current: PlotState): EmphasisLayer {
  const canvas = document.createElement("canvas");
  canvas.style.cssText = "position:absolute;inset:0;pointer-events:none";
  plot.over.prepend(canvas);

  return {
    show(id) {
      const { clientWidth: width, clientHeight: height } = plot.over;
      canvas.width = width * devicePixelRatio;
      canvas.height = height * devicePixelRatio;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const row = layout(spec).findIndex(({ series, row }) => row === "line" && series.id === id);
      const ctx = canvas.getContext("2d");
      if (row < 0 || !ctx) return;
      ctx.scale(devicePixelRatio, devicePixelRatio);
      ctx.lineJoin = "round";
      const path = pathOf(plot, plot.data[row + 1]!);
      const strokes: [token: string, width: number][] = [
        ["surface", WIDTH + 2 * EDGE],
        [spec.series.find((one) => one.id === id)!.color, WIDTH],
      ];
      for (const [token, lineWidth] of strokes) {
        ctx.strokeStyle = current.colors.of(token);
        ctx.lineWidth = lineWidth;
        ctx.stroke(path);
      }
    },
    destroy: () => canvas.remove(),
  };
}

function pathOf(plot: uPlot, values: uPlot.AlignedData[number]): Path2D {
  const path = new Path2D();
  let drawing = false;
  plot.data[0].forEach((x, i) => {
    const value = values[i];
    if (value === undefined) return;
    if (value === null) {
      drawing = false;
      return;
    }
    const [left, top] = [plot.valToPos(x, "x"), plot.valToPos(value, "y")];
    if (drawing) path.lineTo(left, top);
    else path.moveTo(left, top);
    drawing = true;
  });
  return path;
}
