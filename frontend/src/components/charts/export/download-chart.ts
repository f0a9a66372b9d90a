import { download, fileName } from "@/lib/download";
import { compact } from "@/lib/number";
import { BASELINE_DASH, GOAL_DASH } from "../plot/overlays";
import { readTokenColors } from "../plot/token-colors";
import { smooths } from "../prepare/curve";
import { type ChartMark, MARK_KINDS, MARK_LOOKS } from "../prepare/marks";
import type { ChartModel, ChartSpec, PrepareOptions } from "../prepare/model";
import { labelAt } from "../prepare/readout";
import { smoothingLabel } from "../prepare/smoothing-label";
import { chartCsv } from "./csv";
import { withLargePlot } from "./large-plot";
import { type Caption, paintPicture } from "./picture";

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
