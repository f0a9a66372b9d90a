import uPlot from "uplot";
import type { AxisWindow } from "@/stream/series/axis";
import { tint, type TokenColors } from "./canvas";
import { tickLabel } from "./figure-scale";
import { axisNames, increments, positionTick } from "./prepare/axes";
import { isCrowded, type LaidOut, layout } from "./prepare/curve";
import {
  type ChartMark,
  groupMarks,
  MARK_LOOKS,
  type MarkKind,
  MARKS_APART,
} from "./prepare/marks";
import type { ChartModel, ChartSpec, Interval } from "./prepare/model";
import { readIndex } from "./prepare/readout";

export interface PlotState {
  colors: TokenColors;
  model: ChartModel;
  highlight: AxisWindow | null;
  /** Scale of everything relative to the page. */
  scale: number;
}

export interface PlotHandlers {
  /** Called with the pointer's position on the axis; null when it leaves. */
  cursor: (x: number | null) => void;
  zoom: (window: AxisWindow) => void;
  reset: () => void;
}

/** A drag of fewer pixels counts as a click. */
export const LEAST_DRAG = 6;

/** uPlot's options. What can change is read from `current` while drawing, so that the plot is never rebuilt. */
export function plotOptions(
  spec: ChartSpec,
  current: PlotState,
  size: { width: number; height: number },
  handlers: PlotHandlers,
): uPlot.Options {
  const rows = layout(spec);
  const { scale } = current;
  const crowded = isCrowded(spec);
  return {
    ...size,
    padding: [PLOT_INSET.top * scale, PLOT_INSET.right * scale, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG },
      bind: {
        dblclick: () => () => {
          handlers.reset();
          return null;
        },
      },
      y: false,
      dataIdx: ({ data }, row, closest, x) => {
        const [from, to] = current.model.x;
        // A position becomes a pixel and then one again, a hair away.
        return row === 0 ? closest : readIndex(data, row, x + (to - from) * 1e-9);
      },
      points: {
        size: () => DOT,
        stroke: () => current.colors.of("surface"),
        // uPlot draws no dot where this returns undefined, which its types do not allow.
        show: (_, index) => (rows[index - 1]?.row === "line" && !crowded ? dot() : undefined)!,
      },
    },
    scales: {
      x: { time: false, range: () => [...current.model.x] },
      y: { range: () => [...current.model.y] },
    },
    axes: axes(current),
    series: [{}, ...rows.map((laid) => seriesOptions(spec, laid, current))],
    bands: bands(spec, rows, current),
    hooks: {
      setSelect: [(plot) => selected(plot, handlers)],
      drawAxes: [
        (plot) => {
          drawHighlight(plot, current);
          drawReferences(plot, current);
        },
      ],
    },
  };
}

/** Pixels of the mark at the read value, and of the edge around it that separates it from its line. */
const DOT = 9;
const DOT_EDGE = 2;

function dot(): HTMLElement {
  const element = document.createElement("div");
  element.style.cssText = `width:${DOT}px;height:${DOT}px;margin:${-DOT / 2}px 0 0 ${-DOT / 2}px;border-width:${DOT_EDGE}px`;
  return element;
}

/** Pixels between the plot's lines and the edges of the chart; the name of the axis has more room at the bottom. */
export const PLOT_INSET = { top: 10, left: 46, right: 14, bottom: 26, axisName: 16 };

function axes(current: PlotState): uPlot.Axis[] {
  const { scale } = current;
  const common = (): uPlot.Axis => ({
    stroke: () => current.colors.of("chart-axis"),
    font: current.colors.font,
    grid: { stroke: () => current.colors.of("chart-grid"), width: scale },
    ticks: { show: false },
    gap: 6 * scale,
  });
  const position: uPlot.Axis = {
    ...common(),
    size: PLOT_INSET.bottom * scale,
    space: 64 * scale,
    incrs: () => increments(current.model.axis),
    values: (_, splits, __, ___, increment) =>
      splits.map((value) => positionTick(current.model.axis, value, increment)),
    label: current.model.hasAxisName ? () => axisNames[current.model.axis] : undefined,
    labelSize: PLOT_INSET.axisName * scale,
    labelGap: 0,
    labelFont: current.colors.font,
  };
  const value: uPlot.Axis = {
    ...common(),
    size: PLOT_INSET.left * scale,
    space: 34 * scale,
    splits: (_, __, low, high, increment) =>
      current.model.yTicks?.map(({ at }) => at) ?? multiples(low, high, increment),
    values: (_, splits, __, ___, increment) =>
      current.model.yTicks?.map(({ label }) => label) ??
      splits.map((split) => tickLabel(split, increment)),
  };
  return [position, value];
}

function multiples(low: number, high: number, increment: number): number[] {
  const first = Math.ceil(low / increment - 1e-9);
  const last = Math.floor(high / increment + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const value = (first + i) * increment;
    return Number(value.toPrecision(12));
  });
}

function seriesOptions(
  spec: ChartSpec,
  { series, row, isContext }: LaidOut,
  current: PlotState,
): uPlot.Series {
  const { label, mode, color, dash = [], stepped = false } = series;
  const paths = stepped ? steps : undefined;
  const { scale } = current;
  const paint = () => current.colors.of(color);
  const dots = (size: number): uPlot.Series => ({
    label,
    stroke: paint,
    paths: () => null,
    points: { show: true, size: size * scale, width: 0, fill: paint },
  });
  if (row === "raw") {
    if (mode === "points") return dots(3.5);
    if (mode === "markers") return dots(6);
    return { label, stroke: paint, width: scale, paths, points: { show: false } };
  }
  if (row === "line") {
    const width = (isContext || isCrowded(spec) || mode === "markers" ? 1.5 : 2) * scale;
    const filter = stepped ? lastValue : loneValue;
    const ends = { show: false, filter, size: 6 * scale, width: 0, fill: paint };
    const lengths = dash.map((part) => part * scale);
    return { label, stroke: paint, width, dash: lengths, paths, points: ends };
  }
  return { label, stroke: "transparent", width: 0, paths, points: { show: false } };
}

/** Each value until the next one. */
const steps: uPlot.Series.PathBuilder = (...drawn) => uPlot.paths.stepped!({ align: 1 })(...drawn);

/** Position of the last value of a step line. It has no length, so it is drawn as a dot. */
function lastValue({ data }: uPlot, series: number): number[] | null {
  const last = data[series]!.findLastIndex((value) => value !== null && value !== undefined);
  return last < 0 ? null : [last];
}

/** Position of a value without neighbours, which no line would show; it is drawn as a dot. */
function loneValue(plot: uPlot, series: number): number[] | null {
  const values = plot.data[series]!;
  let only: number | null = null;
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] === null || values[i] === undefined) continue;
    if (only !== null) return null;
    only = i;
  }
  return only === null ? null : [only];
}

/** uPlot's bands between two series, given by their indices. */
function bands(spec: ChartSpec, rows: ReturnType<typeof layout>, current: PlotState): uPlot.Band[] {
  return rows.flatMap(({ series, row }, i) => {
    if (row !== "high") return [];
    const { color } = series;
    return [{ series: [i + 1, i + 2], fill: () => tint(current.colors.of(color), 0.16) }];
  });
}

function selected(plot: uPlot, { zoom }: PlotHandlers) {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG) return;
  zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** Dash patterns of a goal (a level to reach) and of a baseline (a level to compare with). */
export const GOAL_DASH = [5, 4];
export const BASELINE_DASH = [1.5, 3];

/** Draws the reference levels: goals dashed, baselines dotted. The legend names them and gives their values. */
function drawReferences({ ctx, bbox, valToPos }: uPlot, { model, colors, scale }: PlotState) {
  const pixel = devicePixelRatio * scale;
  for (const { at, isBaseline } of model.references) {
    const y = Math.round(valToPos(at, "y", true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.save();
    ctx.strokeStyle = colors.of("chart-reference");
    ctx.lineWidth = pixel;
    const dash = isBaseline ? BASELINE_DASH : GOAL_DASH;
    ctx.setLineDash(dash.map((length) => length * pixel));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

/** Tints the highlighted part of the axis and draws its edges. */
function drawHighlight({ ctx, bbox, valToPos }: uPlot, { highlight, colors }: PlotState) {
  if (!highlight) return;
  const edge = (x: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, valToPos(x, "x", true)));
  const [from, to] = [edge(highlight[0]), edge(highlight[1])];
  ctx.save();
  ctx.fillStyle = tint(colors.of("warn"), 0.14);
  ctx.fillRect(from, bbox.top, to - from, bbox.height);
  ctx.fillStyle = colors.of("warn");
  for (const x of [from, to]) ctx.fillRect(Math.round(x), bbox.top, devicePixelRatio, bbox.height);
  ctx.restore();
}

/** Size in pixels of a mark's box, and distance from its middle to the bottom of the plot. */
const MARK = 10;
const MARK_ABOVE_FOOT = 8;

/** Draws the run's events along the bottom of the plot, for downloads. On the page they are buttons. */
export function drawMarks(
  { ctx, bbox }: uPlot,
  { model, colors, scale }: PlotState,
  marks: readonly ChartMark[],
) {
  const pixel = devicePixelRatio * scale;
  for (const { kind, share } of groupMarks(marks, model.x, bbox.width / pixel, MARKS_APART)) {
    ctx.save();
    ctx.translate(bbox.left + share * bbox.width, bbox.top + bbox.height - MARK_ABOVE_FOOT * pixel);
    ctx.scale(pixel, pixel);
    ctx.translate(-MARK / 2, -MARK / 2);
    drawMark(ctx, kind, colors);
    ctx.restore();
  }
}

/** Draws one mark into the box of 10 × 10 at the origin. */
export function drawMark(ctx: CanvasRenderingContext2D, kind: MarkKind, colors: TokenColors) {
  const { path, isLine, color } = MARK_LOOKS[kind];
  if (isLine) {
    ctx.strokeStyle = colors.of(color);
    ctx.lineWidth = 2;
    ctx.setLineDash([]);
    ctx.stroke(new Path2D(path));
  } else {
    ctx.fillStyle = colors.of(color);
    ctx.fill(new Path2D(path));
  }
}

/** Range and position of a chart's axis, for what is drawn below the chart to line up with it. */
export interface ChartAxis {
  /** The part of the axis that is shown, in its units. */
  range: Interval;
  /** Width of the whole chart in pixels. */
  width: number;
}

/** Pixels between the edges of a chart and those of its axis. */
export const CHART_INSET = { left: PLOT_INSET.left, right: PLOT_INSET.right };
