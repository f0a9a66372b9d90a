"use client";

import { type RefObject, useEffect, useMemo, useRef } from "react";
import { createStore, type ReadableStore, type Store } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import type { AxisWindow } from "@/stream/series/axis";
import { type ChartGroup, within } from "./chart-group";
import type { ChartSettings } from "./chart-settings";
import { downloadCsv, downloadPng } from "./export";
import { createPlot, type Plot } from "./plot";
import { newestPosition } from "./prepare/curve";
import type { ChartMark } from "./prepare/marks";
import type { ChartModel, ChartSpec, Interval, PrepareOptions } from "./prepare/model";
import { type CurveCache, prepare } from "./prepare/prepare";

/** Width in pixels to prepare for before the chart has an element. */
const FIRST_WIDTH = 800;

interface Shown {
  model: ChartModel;
  /** Revision of the data that the model was prepared from. */
  revision: number;
  /** Width in pixels that it was prepared for. */
  width: number;
}

/** The settings that affect the drawing. */
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
  private readonly emphasizedStore: Store<string | null>;
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
    this.emphasizedStore = group.sharesSeries ? group.emphasized : createStore<string | null>(null);
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
    const showEmphasized = () => attached.plot.emphasize(this.emphasizedStore.get());
    showEmphasized();
    const leave = this.emphasizedStore.subscribe(showEmphasized);
    return () => {
      leave();
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
  /** Whether data has arrived since the last drawing. */
  hasNewData: () => boolean;
  zoom: (window: AxisWindow) => void;
  resized: (width: number) => void;
  near: (id: string | null) => void;
}

interface AttachedPlot {
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
function attachPlot(
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
    ask: group.askAt,
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

interface Screen {
  now(): number;
  /** Calls back before the next frame is drawn. */
  nextFrame(callback: () => void): void;
  timeout(ms: number, callback: () => void): () => void;
}

/** Milliseconds of a 16 ms frame that charts may use. */
const BUDGET = 10;

/**
 * A frame clock for all charts: callbacks that are due run one after the other until the budget is spent, and
 * the rest in the next frame, so that twenty charts with new data do not delay a click.
 */
function frameQueue(screen: Screen, budget = BUDGET): FrameClock {
  let due: (() => void)[] = [];
  let asked = false;

  const ask = () => {
    if (asked || due.length === 0) return;
    asked = true;
    screen.nextFrame(() => {
      asked = false;
      const started = screen.now();
      do due.shift()?.();
      while (due.length > 0 && screen.now() - started < budget);
      ask();
    });
  };

  return {
    now: screen.now,
    frameAfter(ms, callback) {
      const cancelTimeout = screen.timeout(ms, () => {
        due.push(callback);
        ask();
      });
      return () => {
        cancelTimeout();
        due = due.filter((other) => other !== callback);
      };
    },
  };
}

const browserFrameClock = frameQueue({
  now: () => performance.now(),
  nextFrame: (callback) => void requestAnimationFrame(callback),
  timeout: (ms, callback) => {
    const timer = window.setTimeout(callback, ms);
    return () => window.clearTimeout(timer);
  },
});

export interface FrameClock {
  now(): number;
  /** Calls back in the first frame that comes `ms` or more from now. Returns a function that cancels it. */
  frameAfter(ms: number, callback: () => void): () => void;
}

export interface Throttled {
  (): void;
  cancel(): void;
}

/**
 * Turns many requests into few calls: the first is served at once, later ones at most every `interval` ms. The last
 * request is always served.
 */
export function throttleFrames(call: () => void, interval: number, clock: FrameClock): Throttled {
  let last = -Infinity;
  let cancel: (() => void) | null = null;
  const request = () => {
    if (cancel !== null) return;
    cancel = clock.frameAfter(Math.max(0, last + interval - clock.now()), () => {
      cancel = null;
      last = clock.now();
      call();
    });
  };
  request.cancel = () => {
    cancel?.();
    cancel = null;
  };
  return request;
}

export interface LiveChartOptions {
  /** Memoise it: a new object rebuilds the chart. */
  spec: ChartSpec;
  settings: ChartSettings;
  group: ChartGroup;
  hidden: ReadonlySet<string>;
  highlight?: AxisWindow | null;
}

interface LiveChartParts {
  chart: LiveChart;
  canvas: RefObject<HTMLDivElement | null>;
  shown: Shown;
}

export function useLiveChart({
  spec,
  settings,
  group,
  hidden,
  highlight = null,
}: LiveChartOptions): LiveChartParts {
  const { smoothing, outliers } = settings;
  const log = settings.log.includes(spec.id);
  const display = useMemo(
    () => ({ smoothing, log, outliers, hidden, highlight }),
    [smoothing, log, outliers, hidden, highlight],
  );
  const canvas = useRef<HTMLDivElement>(null);
  // The options that the chart starts with are replaced by the effect below whenever they change.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const chart = useMemo(() => new LiveChart(spec, group, display), [spec, group]);
  const shown = useStore(chart.shown);

  // External systems: the plot on its canvas, and what it draws.
  useEffect(() => (canvas.current ? chart.attach(canvas.current) : undefined), [chart]);
  useEffect(() => chart.setDisplay(display), [chart, display]);

  return { chart, canvas, shown };
}
