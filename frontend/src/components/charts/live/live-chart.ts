import { createStore, type ReadableStore, type Store } from "@/lib/store";
import type { AxisWindow } from "@/stream/series/axis";
import { downloadCsv, downloadPng } from "../export/download-chart";
import { browserFrameClock } from "../plot/frame-queue";
import type { FrameClock } from "../plot/throttle-frames";
import { newestPosition } from "../prepare/curve";
import type { ChartMark } from "../prepare/marks";
import type { ChartModel, ChartSpec, Interval, PrepareOptions } from "../prepare/model";
import { type CurveCache, prepare } from "../prepare/prepare";
import { within } from "../prepare/zoom";
import type { ChartSettings } from "../settings/chart-settings";
import type { ChartGroup } from "./chart-group";
import { type AttachedPlot, attachPlot } from "./redraw-plot";

/** Width in pixels to prepare for before the chart has an element. */
const FIRST_WIDTH = 800;

export interface Shown {
  model: ChartModel;
  /** Revision of the data that the model was prepared from. */
  revision: number;
  /** Width in pixels that it was prepared for. */
  width: number;
}

/** The settings that change what is drawn. */
export type DisplayOptions = Pick<ChartSettings, "smoothing" | "outliers"> & {
  log: boolean;
  hidden: ReadonlySet<string>;
  highlight: AxisWindow | null;
};

/**
 * One chart on the page. It prepares its model when its data, its zoom or its options have changed, and hands
 * the model to its plot.
 */
export class LiveChart {
  private readonly shownStore: Store<Shown>;
  private readonly emphasizedStore = createStore<string | null>(null);
  private readonly cache: CurveCache = new Map();
  private attached: AttachedPlot | null = null;
  private width = FIRST_WIDTH;
  /** Zero until the chart has an element. */
  private height = 0;

  constructor(
    readonly spec: ChartSpec,
    readonly group: ChartGroup,
    private display: DisplayOptions,
    private readonly frames: FrameClock = browserFrameClock,
  ) {
    this.shownStore = createStore(this.prepareShown());
  }

  /** The model that is on screen. */
  get shown(): ReadableStore<Shown> {
    return this.shownStore;
  }

  /** The whole axis, regardless of zoom. */
  get bounds(): Interval {
    return [0, Math.max(newestPosition(this.drawn), Number.MIN_VALUE)];
  }

  setDisplay(display: DisplayOptions) {
    this.display = display;
    this.attached?.plot.setHighlight(display.highlight);
    this.attached?.redrawSoon();
  }

  /** Emphasises one series; null ends it. */
  emphasize(id: string | null) {
    this.emphasizedStore.set(id);
    this.attached?.plot.emphasize(id);
  }

  /** Id of the emphasised series. */
  get emphasized(): ReadableStore<string | null> {
    return this.emphasizedStore;
  }

  zoom(window: AxisWindow) {
    this.group.zoom(within(window, this.bounds));
  }

  /** Draws on `element` until the returned function is called. */
  attach(element: HTMLElement): () => void {
    this.width = element.clientWidth || FIRST_WIDTH;
    this.height = element.clientHeight;
    this.update();
    const attached = attachPlot(element, this.shown.get().model, {
      spec: this.spec,
      group: this.group,
      frames: this.frames,
      draw: () => this.update(),
      hasNewData: () => this.revision !== this.shown.get().revision,
      zoom: (window) => this.zoom(window),
      resized: (width) => (this.width = width),
      near: (id) => this.emphasize(id),
    });
    attached.plot.setHighlight(this.display.highlight);
    this.attached = attached;
    return () => {
      this.attached = null;
      attached.detach();
    };
  }

  downloadCsv() {
    downloadCsv(this.spec, this.prepareOptions);
  }

  /** `marks`: those that the page shows on the chart. */
  downloadPng(marks: readonly ChartMark[]) {
    if (!this.attached) return;
    const { model } = this.shown.get();
    void downloadPng(this.spec, model, this.display, marks, this.attached.element);
  }

  private get revision(): number {
    return this.drawn.reduce((sum, { source }) => sum + source.revision, 0);
  }

  private get drawn() {
    return [...this.spec.series, ...(this.spec.context ?? [])];
  }

  private get prepareOptions(): PrepareOptions {
    const { width, height } = this;
    return { ...this.display, window: this.group.window.get(), width, height };
  }

  private prepareShown(): Shown {
    const model = prepare(this.spec, this.prepareOptions, this.cache);
    return { model, revision: this.revision, width: this.width };
  }

  private update() {
    const shown = this.prepareShown();
    this.attached?.plot.show(shown.model);
    this.shownStore.set(shown);
  }
}
