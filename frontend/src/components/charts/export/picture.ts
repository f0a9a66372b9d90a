import type { ChartColors } from "../plot/chart-colors";

interface Caption {
  title: string;
  /** Below the title: what the curves are, each with its token of colour. */
  entries: readonly { label: string; color: string }[];
  notes: string;
}

const MARGIN = 16;
const TITLE = 20;
const LINE = 18;

/** A copy of the chart's canvas with its title and legend, on the page's background. */
export function paintPicture(chart: HTMLCanvasElement, colors: ChartColors, caption: Caption) {
  const ratio = devicePixelRatio;
  const [width, height] = [chart.width / ratio, chart.height / ratio];
  const head = MARGIN + TITLE + LINE + 6;
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2 * MARGIN) * ratio;
  canvas.height = (head + height + LINE + MARGIN) * ratio;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colors.of("surface");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.fillStyle = colors.of("ink");
  ctx.font = colors.strongFont;
  ctx.fillText(caption.title, MARGIN, MARGIN + 13);
  ctx.font = colors.font;
  let left = MARGIN;
  const base = MARGIN + TITLE + 12;
  for (const { label, color } of caption.entries) {
    ctx.fillStyle = colors.of(color);
    ctx.fillRect(left, base - 5, 14, 2);
    ctx.fillStyle = colors.of("ink-soft");
    ctx.fillText(label, left + 19, base);
    left += 19 + ctx.measureText(label).width + 16;
  }
  ctx.drawImage(chart, MARGIN, head, width, height);
  ctx.fillStyle = colors.of("ink-faint");
  ctx.fillText(caption.notes, MARGIN, head + height + LINE - 2);
  return canvas;
}
