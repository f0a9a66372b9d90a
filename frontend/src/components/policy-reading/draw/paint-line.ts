import type { CanvasSize, TokenColors } from "@/charts/canvas";
import { decimal } from "@/lib/number";
import type { LineScale } from "../prepare/line-scale";

export interface DrawnLine {
  name: string;
  values: readonly (number | null)[];
  /** Name of the colour's token. */
  color: string;
  dash?: readonly number[];
}

interface Painted {
  lines: readonly DrawnLine[];
  scale: LineScale;
  /** Index of the first value. */
  first: number;
  /** The step that is shown, and the one under the pointer. */
  at: number | null;
  hovered: number | null;
}

const INSET = 3;

/** CSS pixels at the left in which the labels of the scale stand; lines are drawn beside it. */
export const GUTTER = 46;

/** Draws lines over an episode into a box of `width` × `height` CSS pixels. */
export function paintLine(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { lines, scale, first, at, hovered }: Painted,
) {
  const [from, to] = scale.x;
  const [low, high] = scale.y;
  const x = (step: number) => GUTTER + ((step - from) / (to - from)) * (width - GUTTER - INSET);
  const y = (value: number) =>
    height - INSET - ((value - low) / (high - low)) * (height - 2 * INSET);
  if (low < 0 && high > 0) upright(ctx, colors.of("chart-grid"), GUTTER, y(0), width, y(0));
  for (const { values, color, dash = [] } of lines) {
    ctx.beginPath();
    ctx.setLineDash([...dash]);
    ctx.strokeStyle = colors.of(color);
    ctx.lineWidth = 1.5;
    ctx.lineJoin = "round";
    let open = false;
    values.forEach((value, i) => {
      if (value === null) return (open = false);
      const [left, top] = [x(first + i), y(value)];
      if (open) ctx.lineTo(left, top);
      else ctx.moveTo(left, top);
      open = true;
    });
    ctx.stroke();
  }
  ctx.setLineDash([]);
  label(ctx, colors, decimal(high), INSET + 9);
  label(ctx, colors, decimal(low), height - INSET - 1);
  if (hovered !== null) upright(ctx, colors.of("line-strong"), x(hovered), 0, x(hovered), height);
  if (at === null) return;
  upright(ctx, colors.of("accent"), x(at), 0, x(at), height);
  for (const { values, color } of lines) {
    const value = values[at - first] ?? null;
    if (value === null) continue;
    ctx.beginPath();
    ctx.fillStyle = colors.of(color);
    ctx.arc(x(at), y(value), 2.5, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** A label of the scale, aligned to the end of the gutter. */
function label(ctx: CanvasRenderingContext2D, colors: TokenColors, text: string, top: number) {
  ctx.font = colors.font;
  ctx.textAlign = "right";
  ctx.fillStyle = colors.of("chart-axis");
  ctx.fillText(text, GUTTER - 6, top, GUTTER - 8);
}

function upright(
  ctx: CanvasRenderingContext2D,
  color: string,
  ...[fromX, fromY, toX, toY]: [number, number, number, number]
) {
  ctx.beginPath();
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.moveTo(Math.round(fromX) + 0.5, fromY);
  ctx.lineTo(Math.round(toX) + 0.5, toY);
  ctx.stroke();
}
