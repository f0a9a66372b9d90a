import { download, fileName } from "@/lib/download";
import { readChartColors } from "../plot/chart-colors";
import type { ChartModel, ChartSpec, PrepareOptions } from "../prepare/model";
import { smoothingLabel } from "../prepare/smooth";
import { chartCsv } from "./csv";
import { paintPicture } from "./picture";

/** Saves the points of a chart that its window shows. */
export function downloadCsv(spec: ChartSpec, options: PrepareOptions) {
  const blob = new Blob([chartCsv(spec, options)], { type: "text/csv" });
  download(`${fileName(spec.title)}.csv`, blob);
}

/**
 * Saves the picture on `canvas` with the chart's title, legend and notes, in the colours that `element` has at
 * the moment.
 */
export function downloadPng(
  { title, series }: ChartSpec,
  { notes }: ChartModel,
  { hidden, smoothing }: Pick<PrepareOptions, "hidden" | "smoothing">,
  element: HTMLElement,
  canvas: HTMLCanvasElement,
) {
  const picture = paintPicture(canvas, readChartColors(element), {
    title,
    entries: series.filter(({ id }) => !hidden.has(id)),
    notes: [smoothingLabel(smoothing), ...notes].join(" · "),
  });
  picture.toBlob((blob) => blob && download(`${fileName(title)}.png`, blob), "image/png");
}
