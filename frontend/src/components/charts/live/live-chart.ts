import { Listeners, type AxisWindow } from "@/lib/stream";
import { download, fileName } from "@/lib/download";
import type { ChartGroup } from "./chart-group";
import { browserFrameClock } from "../plot/frame-queue";
import { readChartColors } from "../plot/chart-colors";
import { paintPicture } from "../export/picture";
import { createPlot, type Plot } from "../plot/plot";
import { type FrameClock, throttleFrames } from "../plot/throttle";
import { chartCsv } from "../export/csv";
import type { ChartModel, ChartSpec, PrepareOptions, Interval } from "../prepare/model";
import { type CurveCache, prepare } from "../prepare/prepare";
import { smoothingLabel } from "../prepare/smooth";
import type { ChartSettings } from "../settings/chart-settings";
import { within } from "../prepare/zoom";

/** A little under the service's own four batches a second: each is drawn as it comes, not one behind. */
const REDRAW_EVERY = 200;
const FIRST_WIDTH = 800;

export interface Shown {
  model: ChartModel;
  /** Of the data that the picture shows. */
  revision: number;
}

type DrawingOptions = Pick<ChartSettings, "smoothing" | "log" | "outliers"> & {
  hidden: ReadonlySet<string>;
  highlight: AxisWindow | null;
};

/**
 * One chart on the screen: prepares its model when data, zoom or look change, at most once a frame, and hands
 * it to the plot. Out of sight nothing is prepared; what was missed is drawn when it comes into sight.
 */
export class LiveChart {
  private shown: Shown;
  private drawing: DrawingOptions;
  private width = FIRST_WIDTH;
  private plot: Plot | null = null;
  private element: HTMLElement | null = null;
  private inSight = true;
  private readonly cache: CurveCache = new Map();
  private readonly changes = new Listeners<[]>();

  constructor(
    readonly spec: ChartSpec,
    readonly group: ChartGroup,
    drawing: DrawingOptions,
    private readonly frames: FrameClock = browserFrameClock,
  ) {
    this.drawing = drawing;
    this.shown = { model: this.prepare(), revision: this.revision };
  }

  readonly subscribe = this.changes.add;
  readonly getShown = () => this.shown;

  /** All of the axis, whatever the zoom. */
  get bounds(): Interval {
    const newest = this.spec.series.map(({ source, metric }) => {
      const { x, length } = source.column(metric);
      return x[length - 1] ?? 0;
    });
    return [0, Math.max(...newest, Number.MIN_VALUE)];
  }

  setDrawing(drawing: DrawingOptions) {
    this.drawing = drawing;
    this.plot?.setHighlight(drawing.highlight);
    this.redrawSoon();
  }

  emphasize(id: string | null) {
    this.plot?.emphasize(id);
  }

  zoom(window: AxisWindow) {
    this.group.zoom(within(window, this.bounds));
  }

  /** Draws on `element` until the answer is called. */
  attach(element: HTMLElement): () => void {
    this.element = element;
    this.width = element.clientWidth || FIRST_WIDTH;
    this.update();
    const plot = createPlot(element, this.spec, this.shown.model, {
      cursor: this.group.moveTo,
      zoom: (window) => this.zoom(window),
      reset: this.group.reset,
      resized: (width) => {
        this.width = width;
        this.redrawSoon();
      },
    });
    this.plot = plot;
    plot.setHighlight(this.drawing.highlight);
    const draw = () => {
      if (this.inSight) this.update();
    };
    const onData = throttleFrames(draw, REDRAW_EVERY, this.frames);
    const onLook = throttleFrames(draw, 0, this.frames);
    this.redrawSoon = onLook;
    const sources = [...new Set(this.spec.series.map(({ source }) => source))];
    const releases = [
      ...sources.map((source) =>
        source.subscribe(() => this.revision !== this.shown.revision && onData()),
      ),
      this.group.onWindow(onLook),
      this.group.onCursor(() => plot.setCursor(this.group.getCursor())),
      watchSight(element, (inSight) => {
        this.inSight = inSight;
        if (inSight) onLook();
      }),
      onData.cancel,
      onLook.cancel,
      () => plot.destroy(),
    ];
    return () => {
      releases.forEach((release) => release());
      this.redrawSoon = () => {};
      this.plot = this.element = null;
    };
  }

  downloadCsv() {
    const text = chartCsv(this.spec, this.options);
    download(`${fileName(this.spec.title)}.csv`, new Blob([text], { type: "text/csv" }));
  }

  downloadPng() {
    if (!this.plot || !this.element) return;
    const { hidden } = this.drawing;
    const picture = paintPicture(this.plot.canvas, readChartColors(this.element), {
      title: this.spec.title,
      entries: this.spec.series.filter(({ id }) => !hidden.has(id)),
      notes: [smoothingLabel(this.drawing.smoothing), ...this.shown.model.notes].join(" · "),
    });
    picture.toBlob(
      (blob) => blob && download(`${fileName(this.spec.title)}.png`, blob),
      "image/png",
    );
  }

  private redrawSoon: () => void = () => {};

  private get revision(): number {
    return this.spec.series.reduce((sum, { source }) => sum + source.revision, 0);
  }

  private get options(): PrepareOptions {
    return { ...this.drawing, window: this.group.getWindow(), width: this.width };
  }

  private prepare(): ChartModel {
    return prepare(this.spec, this.options, this.cache);
  }

  private update() {
    this.shown = { model: this.prepare(), revision: this.revision };
    this.plot?.show(this.shown.model);
    this.changes.tell();
  }
}

/** A screen's height ahead, so that scrolling finds charts drawn. */
function watchSight(element: Element, changed: (inSight: boolean) => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => changed(entries.at(-1)?.isIntersecting ?? true),
    { rootMargin: "100%" },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
