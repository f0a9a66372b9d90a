import { ApiError } from "@/api/http";
import type { HistoryQuery } from "@/api/metrics";
import type { MetricCurves } from "@/api/types";
import { createStore, type ReadableStore } from "../../store";
import { backoff, type Timers } from "../../time";
import type { EventStreamClient } from "../connection/event-stream-client";
import { type AxisWindow, type MetricAxis, padded, SERVICE_AXES } from "./axis";
import type { RunSeries } from "./run-series";
import { type AttemptTimes, TrainingClock } from "./training-clock";

export type LoaderState =
  | { phase: "loading" }
  | { phase: "ready"; brokenLines: number }
  | { phase: "failed"; error: ApiError };

/** The part of the curves to request. The implementation decides which metrics, and how finely. */
export type HistoryPart = Omit<HistoryQuery, "names" | "maxPoints">;
export type History = (part: HistoryPart, signal: AbortSignal) => Promise<MetricCurves>;

export interface LoaderOptions {
  runId: string;
  series: RunSeries;
  client: EventStreamClient;
  history: History;
  timers: Timers;
  axis?: MetricAxis;
}

/** Milliseconds without a change of zoom or smoothing before data for it is requested. */
const RESTS = 150;
/** Detail is requested for a window that is wider than shown, by this share on either side. */
const ZOOM_ROOM = 0.25;

/**
 * Fills a series: first with history, then from the stream after the history's cursor. Another axis, or
 * another smoothing of thinned points, loads the history again; until then the former one stays. A zoom into
 * thinned points requests that part; if this fails, the thinned curve stays.
 */
export class RunSeriesLoader {
  private clock = new TrainingClock([]);
  /** When the attempts began that the clock counts. */
  private begun = "";
  private axis: MetricAxis;
  private smoothing = 0;
  private readonly stateStore = createStore<LoaderState>({ phase: "loading" });
  private abort = new AbortController();
  private zoomAbort = new AbortController();
  private release: (() => void) | null = null;
  private unlisten: (() => void) | null = null;
  private timer: number | null = null;
  private zoomTimer: number | null = null;
  private smoothingTimer: number | null = null;
  private window: AxisWindow | null = null;
  private attempt = 0;
  private running = false;
  /** Whether the run may still log rows. */
  private live = true;
  private superseded = 0;

  constructor(private readonly options: LoaderOptions) {
    this.axis = options.axis ?? "step";
  }

  readonly state: ReadableStore<LoaderState> = this.stateStore;

  start() {
    this.running = true;
    this.abort = new AbortController();
    void this.load(this.abort.signal);
    // If the service refuses the cursor, loading the history again gives a new one.
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
    this.cancelSmoothing();
  }

  setAxis(axis: MetricAxis) {
    if (axis === this.axis) return;
    this.axis = axis;
    this.window = null;
    if (this.running) this.restart();
  }

  setSmoothing(smoothing: number) {
    if (smoothing === this.smoothing) return;
    this.smoothing = smoothing;
    this.options.series.setSmoothing(smoothing);
    this.smoothExactly();
  }

  /** A run that has just ended is followed until the page is left, since its last rows may be under way. */
  setLive(live: boolean) {
    const begins = live && !this.live;
    this.live = live;
    if (begins && this.running && this.release === null) this.restart();
  }

  /** Times are counted over these attempts. */
  setAttempts(attempts: readonly AttemptTimes[]) {
    this.clock = new TrainingClock(attempts);
    const begun = attempts.map(({ started_at }) => started_at).join();
    const changed = begun !== this.begun;
    this.begun = begun;
    if (changed && this.axis === "time" && this.stateStore.get().phase === "ready" && this.running)
      this.restart();
  }

  /** How many stretches of rows no longer count. The stream may have brought some of these rows. */
  setSuperseded(stretches: number) {
    if (stretches === this.superseded) return;
    this.superseded = stretches;
    if (this.running && this.stateStore.get().phase === "ready") this.restart();
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
    }, RESTS);
  }

  private restart() {
    this.stop();
    this.start();
  }

  private async load(signal: AbortSignal) {
    const { smoothing } = this;
    try {
      const history = await this.options.history({ x: SERVICE_AXES[this.axis], smoothing }, signal);
      if (signal.aborted) return;
      const { series, client, runId } = this.options;
      this.attempt = 0;
      series.load(history, this.clock, smoothing);
      if (this.live)
        this.release = client.follow(runId, history.cursor, (rows) => series.append(rows));
      this.stateStore.set({ phase: "ready", brokenLines: history.broken_lines });
      this.zoom(this.window);
      void this.loadNewest(history.mean_episodes, signal);
      if (smoothing !== this.smoothing) this.smoothExactly();
    } catch (error) {
      if (!signal.aborted) this.retryLater(error, signal);
    }
  }

  /** Running means need every one of the newest episodes. Without them they end at the last logged mean. */
  private async loadNewest(episodes: number, signal: AbortSignal) {
    const { series, history } = this.options;
    if (!series.lacksNewest) return;
    const part = { x: "episode", newest: episodes } as const;
    const answer = await history(part, signal).catch(() => null);
    if (answer && !signal.aborted) series.loadNewest(answer);
  }

  private async loadDetail(window: AxisWindow, signal: AbortSignal) {
    const { series, history } = this.options;
    const { axis, smoothing } = this;
    const [from, to] = window;
    const part = { x: SERVICE_AXES[axis], smoothing, from, to };
    const answer = await history(part, signal).catch(() => null);
    if (answer && !signal.aborted && smoothing === this.smoothing)
      series.loadDetail(window, answer);
  }

  /** Loads the history again with the current smoothing if points are missing for averaging. */
  private smoothExactly() {
    this.cancelSmoothing();
    if (!this.running || !this.options.series.lacksSmoothing) {
      this.zoom(this.window);
      return;
    }
    this.smoothingTimer = this.options.timers.set(() => {
      this.smoothingTimer = null;
      this.restart();
    }, RESTS);
  }

  private lacksDetail(window: AxisWindow): boolean {
    const { series } = this.options;
    return series.axis === this.axis && series.lacksDetail(window);
  }

  private cancelZoom() {
    if (this.zoomTimer !== null) this.options.timers.clear(this.zoomTimer);
    this.zoomTimer = null;
  }

  private cancelSmoothing() {
    if (this.smoothingTimer !== null) this.options.timers.clear(this.smoothingTimer);
    this.smoothingTimer = null;
  }

  private retryLater(cause: unknown, signal: AbortSignal) {
    const error = cause instanceof ApiError ? cause : new ApiError(0, "Metrics", String(cause));
    this.stateStore.set({ phase: "failed", error });
    if (error.isNotFound) return;
    this.timer = this.options.timers.set(() => void this.load(signal), backoff(this.attempt));
    this.attempt += 1;
  }
}
