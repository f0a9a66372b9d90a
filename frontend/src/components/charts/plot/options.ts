import type uPlot from "uplot";
import type { AxisWindow } from "@/lib/stream";
import type { ChartModel, ChartSpec } from "../prepare/model";
import { layout, type Row } from "../prepare/rows";
import { axisNames, increments, positionTick, tickLabel } from "../prepare/ticks";
import { type ChartColors, tint } from "./chart-colors";
import { drawHighlight, drawReferences } from "./overlays";

export interface PlotState {
  colors: ChartColors;
  model: ChartModel;
  highlight: AxisWindow | null;
}

export interface PlotHandlers {
  /** Where the pointer is on the axis; null once it has left. */
  cursor: (x: number | null) => void;
  zoom: (window: AxisWindow) => void;
  reset: () => void;
}

/** A drag of fewer pixels counts as a click. */
const LEAST_DRAG = 6;

/** Everything that can change is read from `current` when drawn, so that nothing is ever rebuilt. */
export function plotOptions(
  spec: ChartSpec,
  current: PlotState,
  size: { width: number; height: number },
  handlers: PlotHandlers,
): uPlot.Options {
  const rows = layout(spec);
  return {
    ...size,
    padding: [10, 14, 0, 0],
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
      hover: { skip: [undefined, null] },
      points: {
        stroke: () => current.colors.of("surface"),
        // uPlot draws no dot where this returns undefined, which its types do not allow.
        show: (_, index) => (rows[index - 1]?.row === "line" ? dot() : undefined)!,
      },
    },
    scales: {
      x: { time: false, range: () => [...current.model.x] },
      y: { range: () => [...current.model.y] },
    },
    axes: axes(current, size.height >= ROOMY),
    series: [{}, ...rows.map(({ series, row }) => seriesOptions(spec, series, row, current))],
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

const DOT = 7;
const DOT_EDGE = 2;

function dot(): HTMLElement {
  const element = document.createElement("div");
  element.style.cssText = `width:${DOT}px;height:${DOT}px;margin:${-DOT / 2}px 0 0 ${-DOT / 2}px;border-width:${DOT_EDGE}px`;
  return element;
}

/** Pixels from which on a chart is high enough to name its axis. */
const ROOMY = 190;

function axes(current: PlotState, roomy: boolean): uPlot.Axis[] {
  const common = (): uPlot.Axis => ({
    stroke: () => current.colors.of("chart-axis"),
    font: current.colors.font,
    grid: { stroke: () => current.colors.of("chart-grid"), width: 1 },
    ticks: { show: false },
    gap: 6,
  });
  const position: uPlot.Axis = {
    ...common(),
    size: 26,
    space: 64,
    incrs: () => increments(current.model.axis),
    values: (_, splits) => splits.map((value) => positionTick(current.model.axis, value)),
    // A low chart has no axis label, as the toolbar names the axis for the whole page.
    label: roomy ? () => axisNames[current.model.axis] : undefined,
    labelSize: 16,
    labelGap: 0,
    labelFont: current.colors.font,
  };
  const value: uPlot.Axis = {
    ...common(),
    size: 46,
    space: 34,
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

function seriesOptions(spec: ChartSpec, index: number, row: Row, current: PlotState): uPlot.Series {
  const { label, mode, color, dash = [] } = spec.series[index]!;
  const paint = () => current.colors.of(color);
  const dots = (size: number): uPlot.Series => ({
    label,
    stroke: paint,
    paths: () => null,
    points: { show: true, size, width: 0, fill: paint },
  });
  if (row === "raw") {
    if (mode === "points") return dots(3.5);
    if (mode === "markers") return dots(6);
    return { label, stroke: paint, width: 1, points: { show: false } };
  }
  if (row === "line") {
    const width = mode === "markers" ? 1.5 : 2;
    const lone = { show: false, filter: loneValue, size: 6, width: 0, fill: paint };
    return { label, stroke: paint, width, dash: [...dash], points: lone };
  }
  return { label, stroke: "transparent", width: 0, points: { show: false } };
}

/** A curve's only value: no line shows it, so it is drawn as a dot. */
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

/** uPlot fills between two series, named by their places. */
function bands(spec: ChartSpec, rows: ReturnType<typeof layout>, current: PlotState): uPlot.Band[] {
  return rows.flatMap(({ series, row }, i) => {
    if (row !== "high") return [];
    const { color } = spec.series[series]!;
    return [{ series: [i + 1, i + 2], fill: () => tint(current.colors.of(color), 0.16) }];
  });
}

function selected(plot: uPlot, { zoom }: PlotHandlers) {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG) return;
  zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}
