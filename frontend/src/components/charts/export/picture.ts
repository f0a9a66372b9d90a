import { drawMark } from "../plot/overlays";
import type { MarkKind } from "../prepare/marks";
import type { TokenColors } from "../plot/token-colors";

type Entry =
  | { label: string; mark: MarkKind }
  /** Name of the colour's token, and the line's dash. */
  | { label: string; color: string; dash?: readonly number[] };

export interface Caption {
  title: string;
  /** What it is of: the run, its environment, algorithm and seed. */
  subject: string;
  /** Legend of curves and marks, drawn below the title. */
  entries: readonly Entry[];
  notes: string;
}

const MARGIN = 16;
const TITLE = 20;
const LINE = 18;
const SWATCH = 18;

interface Placed {
  entry: Entry;
  left: number;
  line: number;
}

/**
 * A copy of the chart's canvas with title, subject and legend on the page's background. `scale` is that of
 * the chart.
 */
export function paintPicture(
  chart: HTMLCanvasElement,
  colors: TokenColors,
  caption: Caption,
  scale: number,
): HTMLCanvasElement {
  const unit = devicePixelRatio * scale;
  const [width, height] = [chart.width / unit, chart.height / unit];
  const canvas = document.createElement("canvas");
  const ctx = canvas.getContext("2d")!;
  const fonts = [colors.font, colors.strongFont].map((font) => unscaled(font, scale));
  ctx.font = fonts[0]!;
  const legend = placed(caption.entries, width, (text) => ctx.measureText(text).width);
  const lines = (legend.at(-1)?.line ?? -1) + 1;
  const head = MARGIN + TITLE + LINE * (lines + 1) + 6;
  canvas.width = (width + 2 * MARGIN) * unit;
  canvas.height = (head + height + LINE + MARGIN) * unit;
  ctx.scale(unit, unit);
  ctx.fillStyle = colors.of("surface");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  const write = (text: string, token: string, left: number, base: number) => {
    ctx.fillStyle = colors.of(token);
    ctx.fillText(text, left, base);
  };
  ctx.font = fonts[1]!;
  write(caption.title, "ink", MARGIN, MARGIN + 13);
  ctx.font = fonts[0]!;
  write(caption.subject, "ink-soft", MARGIN, MARGIN + TITLE + 12);
  for (const { entry, left, line } of legend) {
    const base = MARGIN + TITLE + LINE * (line + 1) + 12;
    ctx.save();
    ctx.translate(MARGIN + left, base - 4);
    drawSample(ctx, entry, colors);
    ctx.restore();
    write(entry.label, "ink-soft", MARGIN + left + SWATCH + 5, base);
  }
  ctx.drawImage(chart, MARGIN, head, width, height);
  write(caption.notes, "ink-faint", MARGIN, head + height + LINE - 2);
  return canvas;
}

/** Draws a sample of the line, or the mark, from the origin to the right. */
function drawSample(ctx: CanvasRenderingContext2D, entry: Entry, colors: TokenColors) {
  if ("mark" in entry) {
    ctx.translate(SWATCH / 2 - 5, -5);
    return drawMark(ctx, entry.mark, colors);
  }
  ctx.strokeStyle = colors.of(entry.color);
  ctx.lineWidth = 2;
  ctx.setLineDash((entry.dash ?? []).map((part) => part * 0.6));
  ctx.beginPath();
  ctx.moveTo(0, 0);
  ctx.lineTo(SWATCH, 0);
  ctx.stroke();
}

/** Breaks the legend into lines of at most `width`. */
function placed(
  entries: Caption["entries"],
  width: number,
  measure: (text: string) => number,
): Placed[] {
  let [left, line] = [0, 0];
  return entries.map((entry) => {
    const size = SWATCH + 5 + measure(entry.label) + 16;
    if (left > 0 && left + size > width) [left, line] = [0, line + 1];
    const place = { entry, left, line };
    left += size;
    return place;
  });
}

/** The font at its size before scaling, since the canvas is scaled already. */
function unscaled(font: string, scale: number): string {
  return font.replace(/(\d+(?:\.\d+)?)px/, (_, size: string) => `${Number(size) / scale}px`);
}
