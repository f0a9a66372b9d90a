import type uPlot from "uplot";
import { compact } from "@/lib/format";
import type { ChartModel, ChartSpec, SeriesSpec } from "../prepare/model";
import type { Palette } from "./palette";

interface Current {
  palette: Palette;
  model: ChartModel;
}

/** Everything that can change is read from `current` when drawn, so that nothing is ever rebuilt. */
export function plotOptions(
  spec: ChartSpec,
  current: Current,
  size: { width: number; height: number },
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const axis = (): uPlot.Axis => ({
    stroke: () => current.palette["chart-axis"],
    font: current.palette.font,
    grid: { stroke: () => current.palette["chart-grid"], width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map((value) => compact(value)),
    gap: 6,
  });
  return {
    ...size,
    padding: [10, 28, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: false, y: false },
      y: false,
      points: { size: 7, width: 2, stroke: () => current.palette.surface },
    },
    scales: {
      x: { time: false, range: () => current.model.x },
      y: { range: () => current.model.y },
    },
    axes: [
      {
        ...axis(),
        size: 26,
        space: 64,
        label: "timesteps",
        labelSize: 16,
        labelGap: 0,
        labelFont: current.palette.font,
      },
      { ...axis(), size: 46, space: 36 },
    ],
    series: [{}, ...spec.series.map((series) => seriesOptions(series, current))],
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      drawAxes: [(plot) => drawReferences(plot, spec, current.palette)],
    },
  };
}

function seriesOptions({ label, look, color }: SeriesSpec, current: Current): uPlot.Series {
  const paint = () => current.palette[color];
  if (look === "line") return { label, stroke: paint, width: 2, points: { show: false } };
  return {
    label,
    stroke: paint,
    paths: () => null,
    points: { show: true, size: 3, width: 0, fill: paint },
  };
}

function drawReferences(plot: uPlot, spec: ChartSpec, palette: Palette) {
  const { ctx, bbox } = plot;
  for (const { value } of spec.references) {
    const y = Math.round(plot.valToPos(value, "y", true));
    ctx.save();
    ctx.strokeStyle = palette["chart-reference"];
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}
