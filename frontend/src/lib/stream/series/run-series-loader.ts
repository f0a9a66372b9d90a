import { ApiError, type MetricCurves } from "@/lib/api";
import { type MetricAxis, padded, type AxisWindow } from "./axis";
import { backoff } from "../connection/backoff";
import type { Timers } from "../connection/events";
import type { EventStreamClient } from "../connection/event-stream-client";
import { MEAN_EPISODES } from "./recent-mean";
import { createStore, type ReadableStore } from "@/lib/store";
import type { RunSeries } from "./run-series";

export type LoaderState =
  | { phase: "loading" }
  | { phase: "ready"; brokenLines: number }
  | { phase: "failed"; error: ApiError };

export type History = (
  axis: MetricAxis,
  signal: AbortSignal,
  window?: AxisWindow,
) => Promise<MetricCurves>;

export interface LoaderOptions {
  runId: string;
  series: RunSeries;
  client: EventStreamClient;
  history: History;
  timers: Timers;
  axis?: MetricAxis;
  /** Unix seconds. */
  startedAt?: number | null;
}

/** Detail is fetched once the zoom has not changed for this many milliseconds, and for a wider window than is shown. */
const ZOOM_RESTS = 150;
const ZOOM_ROOM = 0.25;

/**
 * Fills a series: history first, then the stream from the history's cursor on. Another axis loads the
 * history anew, with the old one in place until it is there. A zoom into what was thinned fetches that
 * stretch; where that fails the thinned curve stays, which is true as far as it goes.
 */
export class RunSeriesLoader {
  startedAt: number | null;
  private axis: MetricAxis;
  private readonly stateStore = createStore<LoaderState>({ phase: "loading" });
  private abort = new AbortController();
  private zoomAbort = new AbortController();
  private release: (() => void) | null = null;
  private unlisten: (() => void) | null = null;
  private timer: number | null = null;
  private zoomTimer: number | null = null;
  private window: AxisWindow | null = null;
  private attempt = 0;
  private running = false;
  /** Whether rows may still come. */
  private live = true;

  constructor(private readonly options: LoaderOptions) {
    this.axis = options.axis ?? "step";
    this.startedAt = options.startedAt ?? null;
  }

  readonly state: ReadableStore<LoaderState> = this.stateStore;

  start() {
    this.running = true;
    this.abort = new AbortController();
    void this.load(this.abort.signal);
    // Where the service refuses the position, loading the history again gives a new one.
    this.unlisten = this.options.client.onEvent((event) => {
      if (event.kind === "refused" && event.cursors && this.release !== null) this.restart();
    });
  }

  stop() {
    this.running = false;
    this.abort.abort();
    this.zoomAbort.abort();
    this.unlisten?.();
    this.release?.();
    this.release = null;
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.cancelZoom();
  }

  setAxis(axis: MetricAxis) {
    if (axis === this.axis) return;
    this.axis = axis;
    this.window = null;
    if (this.running) this.restart();
  }

  /** A run that has ended is followed until the page is left, as its last rows may be on their way. */
  setLive(live: boolean) {
    const begins = live && !this.live;
    this.live = live;
    if (begins && this.running && this.release === null) this.restart();
  }

  /** Null: the whole run. */
  zoom(window: AxisWindow | null) {
    this.window = window;
    this.cancelZoom();
    this.zoomAbort.abort();
    if (!window || !this.lacksDetail(window)) return;
    this.zoomTimer = this.options.timers.set(() => {
      this.zoomTimer = null;
      this.zoomAbort = new AbortController();
      void this.loadDetail(padded(window, ZOOM_ROOM), this.zoomAbort.signal);
    }, ZOOM_RESTS);
  }

  private restart() {
    this.stop();
    this.start();
  }

  private async load(signal: AbortSignal) {
    try {
      const history = await this.options.history(this.axis, signal);
      if (signal.aborted) return;
      const { series, client, runId } = this.options;
      this.attempt = 0;
      series.load(history, this.startedAt);
      if (this.live)
        this.release = client.follow(runId, history.cursor, (rows) => series.append(rows));
      this.stateStore.set({ phase: "ready", brokenLines: history.broken_lines });
      this.zoom(this.window);
      void this.loadNewest(signal);
    } catch (error) {
      if (!signal.aborted) this.retryLater(error, signal);
    }
  }

  /** The running means need every one of the newest episodes. Without them they end at the last logged mean. */
  private async loadNewest(signal: AbortSignal) {
    const { series, history } = this.options;
    const episodes = series.lacksNewestOf;
    if (episodes === null) return;
    const newest: AxisWindow = [episodes - MEAN_EPISODES + 1, episodes];
    const answer = await history("episode", signal, newest).catch(() => null);
    if (answer && !signal.aborted) series.loadNewest(answer);
  }

  private async loadDetail(window: AxisWindow, signal: AbortSignal) {
    const { series, history } = this.options;
    const answer = await history(this.axis, signal, series.absolute(window)).catch(() => null);
    if (answer && !signal.aborted) series.loadDetail(window, answer);
  }

  private lacksDetail(window: AxisWindow): boolean {
    const { series } = this.options;
    return series.axis === this.axis && series.lacksDetail(window);
  }

  private cancelZoom() {
    if (this.zoomTimer !== null) this.options.timers.clear(this.zoomTimer);
    this.zoomTimer = null;
  }

  private retryLater(cause: unknown, signal: AbortSignal) {
    const error = cause instanceof ApiError ? cause : new ApiError(0, "Metrics", String(cause));
    this.stateStore.set({ phase: "failed", error });
    if (error.isNotFound) return;
    this.timer = this.options.timers.set(() => void this.load(signal), backoff(this.attempt));
    this.attempt += 1;
  }
}
