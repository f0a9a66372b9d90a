import type { AxisWindow } from "@/stream/series/axis";
import { createPlot, type Plot } from "../plot/plot";
import { type FrameClock, throttleFrames } from "../plot/throttle-frames";
import type { ChartModel, ChartSpec } from "../prepare/model";
import type { ChartGroup } from "./chart-group";

/**
 * Milliseconds between two drawings of new data. This is a little less than the time between two of the
 * service's four batches a second, so that each batch is drawn when it comes and not with the next one.
 */
const REDRAW_EVERY_MS = 200;

/** What a plot needs from its chart. */
export interface PlotOwner {
  spec: ChartSpec;
  group: ChartGroup;
  frames: FrameClock;
  /** Prepares the model again and shows it. */
  draw: () => void;
  /** Whether data has come since the last drawing. */
  hasNewData: () => boolean;
  zoom: (window: AxisWindow) => void;
  resized: (width: number) => void;
  near: (id: string | null) => void;
}

export interface AttachedPlot {
  plot: Plot;
  element: HTMLElement;
  /** Requests a redraw in the next frame. */
  redrawSoon: () => void;
  detach: () => void;
}

/**
 * Puts a plot on `element` and draws it again whenever that is due: at the next frame after a zoom, a resize or
 * `redrawSoon`, and at most every 200 ms for new data. A chart that is out of view is drawn when it comes into
 * view.
 */
export function attachPlot(
  element: HTMLElement,
  model: ChartModel,
  { spec, group, frames, draw, hasNewData, zoom, resized, near }: PlotOwner,
): AttachedPlot {
  let inView = true;
  const drawInView = () => {
    if (inView) draw();
  };
  const redrawForData = throttleFrames(drawInView, REDRAW_EVERY_MS, frames);
  const redrawSoon = throttleFrames(drawInView, 0, frames);
  const plot = createPlot(element, spec, model, {
    cursor: group.cursor.set,
    pick: group.pick,
    zoom,
    reset: group.reset,
    near,
    resized: (width) => {
      resized(width);
      redrawSoon();
    },
  });
  const sources = new Set([...(spec.context ?? []), ...spec.series].map(({ source }) => source));
  const releases = [
    ...[...sources].map((source) => source.subscribe(() => hasNewData() && redrawForData())),
    group.window.subscribe(redrawSoon),
    group.cursor.subscribe(() => plot.setCursor(group.cursor.get())),
    watchInView(element, (isInView) => {
      inView = isInView;
      if (inView) redrawSoon();
    }),
    redrawForData.cancel,
    redrawSoon.cancel,
    () => plot.destroy(),
  ];
  return { plot, element, redrawSoon, detach: () => releases.forEach((release) => release()) };
}

/**
 * Charts within a screen's height of the view count as in view, so that they are drawn before they are
 * scrolled to.
 */
function watchInView(element: Element, onChange: (inView: boolean) => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => onChange(entries.at(-1)?.isIntersecting ?? true),
    { rootMargin: "100%" },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
