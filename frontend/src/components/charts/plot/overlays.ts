import type uPlot from "uplot";
import { tint } from "./chart-colors";
import type { PlotState } from "./options";

/** Draws the reference levels, dashed, across the chart. */
export function drawReferences(
  { ctx, bbox, valToPos }: uPlot,
  { model, colors, scale }: PlotState,
) {
  const pixel = devicePixelRatio * scale;
  for (const { at } of model.references) {
    const y = Math.round(valToPos(at, "y", true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.save();
    ctx.strokeStyle = colors.of("chart-reference");
    ctx.lineWidth = pixel;
    ctx.setLineDash([5 * pixel, 4 * pixel]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

/** Draws the highlighted part of the axis: a tint between two edges. */
export function drawHighlight({ ctx, bbox, valToPos }: uPlot, { highlight, colors }: PlotState) {
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
