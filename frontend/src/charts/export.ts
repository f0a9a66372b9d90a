import uPlot from "uplot";
import { csvOf } from "@/lib/csv";
import { download, fileName } from "@/lib/download";
import { compact } from "@/lib/number";
import { readTokenColors, type TokenColors } from "./canvas";
import { smoothingLabel } from "./chart-settings";
import { setOpacities } from "./plot";
import { BASELINE_DASH, drawMark, drawMarks, GOAL_DASH, plotOptions } from "./plot-options";
import { firstFrom, lineOf, slice, smooths } from "./prepare/curve";
import { type ChartMark, MARK_KINDS, MARK_LOOKS, type MarkKind } from "./prepare/marks";
import type { ChartModel, ChartSpec, PrepareOptions } from "./prepare/model";
import { labelAt } from "./prepare/readout";

/** Scale of a saved picture relative to the page. */
const SCALE = 2;

/** Saves the points within the chart's window as CSV. */
export function downloadCsv(spec: ChartSpec, options: PrepareOptions) {
  const blob = new Blob([chartCsv(spec, options)], { type: "text/csv" });
  download(`${chartFileName(spec)}.csv`, blob);
}

/** Saves the chart with title, subject, legend and notes as PNG, in the current theme of `element`. */
export async function downloadPng(
  spec: ChartSpec,
  model: ChartModel,
  options: Pick<PrepareOptions, "hidden" | "smoothing">,
  marks: readonly ChartMark[],
  element: HTMLElement,
) {
  const colors = readTokenColors(element, SCALE);
  const size = { width: element.clientWidth, height: element.clientHeight };
  const picture = await withLargePlot(
    spec,
    model,
    { ...size, scale: SCALE, colors, marks },
    (canvas) => paintPicture(canvas, colors, captionOf(spec, model, options, marks), SCALE),
  );
  picture.toBlob((blob) => blob && download(`${chartFileName(spec)}.png`, blob), "image/png");
}

/** `PPO baseline · CartPole-v1 · PPO · seed 7` → `ppo-baseline-cartpole-v1-ppo-seed-7-episode-return`. */
export function chartFileName({ subject = "", title }: ChartSpec): string {
  return fileName(subject, title);
}

export function captionOf(
  { title, subject = "", series, references }: ChartSpec,
  { notes, scale, x }: Pick<ChartModel, "notes" | "scale" | "x">,
  { hidden, smoothing }: Pick<PrepareOptions, "hidden" | "smoothing">,
  marks: readonly ChartMark[] = [],
): Caption {
  const shown = series.filter(({ id }) => !hidden.has(id));
  const said = [
    shown.some(smooths) ? `Smoothing: ${smoothingLabel(smoothing)}` : "",
    scale === "linear" ? "" : "logarithmic axis",
    ...notes,
  ];
  return {
    title,
    subject,
    entries: [
      ...shown.map((one) => ({ ...one, label: labelAt(one) })),
      ...references.map(({ label, value, isBaseline }) => ({
        label: `${label} ${compact(value)}`,
        color: "chart-reference",
        dash: isBaseline ? BASELINE_DASH : GOAL_DASH,
      })),
      ...MARK_KINDS.filter((kind) =>
        marks.some((mark) => mark.kind === kind && mark.at >= x[0] && mark.at <= x[1]),
      ).map((kind) => ({ label: MARK_LOOKS[kind].name, mark: kind })),
    ],
    notes: said.filter(Boolean).join(" · "),
  };
}

interface LargePlot {
  width: number;
  height: number;
  scale: number;
  colors: TokenColors;
  marks: readonly ChartMark[];
}

const nothing = () => {};

/** Draws the chart beside the page, `scale` times as large, and hands its canvas to `paint`. */
function withLargePlot<T>(
  spec: ChartSpec,
  model: ChartModel,
  { width, height, scale, colors, marks }: LargePlot,
  paint: (canvas: HTMLCanvasElement) => T,
): Promise<T> {
  const current = { colors, model, highlight: null, scale };
  const size = { width: width * scale, height: height * scale };
  const options = plotOptions(spec, current, size, {
    cursor: nothing,
    zoom: nothing,
    reset: nothing,
  });
  return new Promise((resolve) => {
    options.hooks = {
      ...options.hooks,
      init: [(plot) => setOpacities(plot, spec, model, null)],
      draw: [
        (plot) => {
          drawMarks(plot, current, marks);
          resolve(paint(plot.ctx.canvas));
          plot.destroy();
        },
      ],
    };
    new uPlot(options, model.data as uPlot.AlignedData, document.createElement("div"));
  });
}

type Entry =
  | { label: string; mark: MarkKind }
  /** Name of the colour's token, and the line's dash. */
  | { label: string; color: string; dash?: readonly number[] };

interface Caption {
  title: string;
  /** The subject: the run, its environment, algorithm and seed. */
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
function paintPicture(
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

/**
 * CSV with one line for each point of every shown series within the window ("long form"), so that nothing is
 * interpolated.
 */
export function chartCsv(spec: ChartSpec, { window, hidden, smoothing }: PrepareOptions): string {
  const lines = [
    ["series", "metric", "x_axis", "x", "value", `value (${smoothingLabel(smoothing)})`],
  ];
  const cells: (string | number | null)[][] = lines;
  const shown = spec.series.filter(({ id }) => !hidden.has(id));
  for (const series of shown) {
    const { source, metric, negate } = series;
    const column = source.column(metric, window);
    const [from, to] = slice(column, window);
    const line = lineOf(series, column, smoothing);
    const first = window ? firstFrom(column, window[0]) : from;
    for (let i = first; i < to && (!window || column.x[i]! <= window[1]); i += 1) {
      const value = (y: number) => (Number.isNaN(y) ? null : negate ? -y : y);
      cells.push([
        labelAt(series),
        metric,
        source.axis,
        column.x[i]!,
        value(column.y[i]!),
        value(line[i]!),
      ]);
    }
  }
  return csvOf(cells);
}
