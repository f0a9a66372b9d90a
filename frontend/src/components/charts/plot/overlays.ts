import type uPlot from "uplot";
import { tint } from "./token-colors";
import {
  type ChartMark,
  groupMarks,
  MARK_LOOKS,
  type MarkKind,
  MARKS_APART,
} from "../prepare/marks";
import type { TokenColors } from "./token-colors";
import type { PlotState } from "./options";

/** Dash patterns of a goal (a level to reach) and of a baseline (a level to compare with). */
export const GOAL_DASH = [5, 4];
export const BASELINE_DASH = [1.5, 3];

/** Draws the reference levels: goals dashed, baselines dotted. The legend names them and gives their values. */
export function drawReferences(
  { ctx, bbox, valToPos }: uPlot,
  { model, colors, scale }: PlotState,
) {
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
