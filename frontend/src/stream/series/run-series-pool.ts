import { ApiError, problemFrom } from "@/api/http";
import { fetchMetricHistories, type HistoryQuery } from "@/api/metrics";
import { fetchCurves, USUAL_VIEW } from "@/api/run-opening";
import type { MetricCurves, RunsMetricCurves } from "@/api/types";
import { createStore, type ReadableStore } from "@/lib/store";
import { backoff, type Timers } from "@/lib/time";
import type { EventStreamClient } from "../event-stream-client";
import { type AxisWindow, type MetricAxis, padded, SERVICE_AXES } from "./axis";
import { type AttemptTimes, EPISODE, RunSeries, TrainingClock } from "./run-series";

export interface FollowedRun {
  id: string;
  /** A run that has ended logs no more rows, so it is not followed. */
  ended_at?: string | null;
  /** Times are counted over these. */
  attempts?: readonly AttemptTimes[];
  /** Number of rows that no longer count. If it grows, the history is loaded again. */
  superseded?: readonly unknown[];
}

export interface RunCurves {
  series: RunSeries;
  state: LoaderState;
}

interface Entry {
  series: RunSeries;
  loader: RunSeriesLoader;
  stop: (() => void) | null;
}

/** Points of each curve. With many runs fewer, since they share the screen and one response. */
const HISTORY_POINTS = { most: USUAL_VIEW.maxPoints, least: 500, together: 20_000 };

/** How the curves of all runs are shown. */
export interface CurveView {
  axis: MetricAxis;
  /** Smoothing of the moving average, from 0 (none) to below 1. */
  smoothing: number;
}

/** The series of a changing set of runs, each with its loader. Runs that stay in the set are not loaded again. */
export class RunSeriesPool {
  private readonly entries = new Map<string, Entry>();
  private view: CurveView = { axis: "step", smoothing: 0 };
  private points: number = HISTORY_POINTS.most;
  private window: AxisWindow | null = null;
  private readonly versionStore = createStore(0);

  constructor(
    private readonly client: EventStreamClient,
    private readonly names: readonly string[] | null,
    private readonly timers: Timers,
    private readonly ask: (
      id: string,
      query: HistoryQuery,
      signal: AbortSignal,
    ) => Promise<MetricCurves> = new HistoryBatch(timers).ask,
  ) {}

  /** Changes whenever the state of a loader changes. */
  readonly version: ReadableStore<number> = this.versionStore;

  curves(id: string): RunCurves {
    const { series, loader } = this.entry(id);
    return { series, state: loader.state.get() };
  }

  /** Follows these runs, and stops following others. */
  follow(runs: readonly FollowedRun[], view: CurveView) {
    this.view = view;
    const { most, least, together } = HISTORY_POINTS;
    this.points = Math.round(Math.min(most, Math.max(least, together / runs.length)));
    for (const id of [...this.entries.keys()]) {
      if (!runs.some((run) => run.id === id)) this.drop(id);
    }
    for (const { id, ended_at, attempts = [], superseded = [] } of runs) {
      const entry = this.entry(id);
      entry.loader.setAttempts(attempts);
      entry.loader.setSuperseded(superseded.length);
      entry.loader.setLive(!ended_at);
      entry.loader.setAxis(view.axis);
      entry.loader.setSmoothing(view.smoothing);
      if (entry.stop) continue;
      const unsubscribe = entry.loader.state.subscribe(() =>
        this.versionStore.set(this.version.get() + 1),
      );
      entry.loader.start();
      entry.stop = () => {
        unsubscribe();
        entry.loader.stop();
      };
      entry.loader.zoom(this.window);
    }
  }

  zoom(window: AxisWindow | null) {
    this.window = window;
    for (const { loader } of this.entries.values()) loader.zoom(window);
  }

  /** Stops all loaders. `follow` starts them again. */
  stop() {
    for (const entry of this.entries.values()) {
      entry.stop?.();
      entry.stop = null;
    }
  }

  private drop(id: string) {
    this.entries.get(id)?.stop?.();
    this.entries.delete(id);
  }

  private entry(id: string): Entry {
    let entry = this.entries.get(id);
    if (!entry) {
      const series = new RunSeries(this.names);
      const loader = new RunSeriesLoader({
        runId: id,
        series,
        client: this.client,
        timers: this.timers,
        axis: this.view.axis,
        history: (part, signal) => this.ask(id, this.query(part), signal),
      });
      entry = { series, loader, stop: null };
      this.entries.set(id, entry);
    }
    return entry;
  }

  private query(part: HistoryPart): HistoryQuery {
    // On the episode axis live rows need the number of episodes before them, which the history
    // tells.
    const needsEpisodes = part.x === "episode" && this.names && !this.names.includes(EPISODE);
    const names = needsEpisodes ? [...this.names!, EPISODE] : this.names;
    return { names, maxPoints: this.points, ...part };
  }
}

type LoaderState =
  | { phase: "loading" }
  | { phase: "ready"; brokenLines: number }
  | { phase: "failed"; error: ApiError };

/** The part of the curves to request. The implementation decides which metrics, and how finely. */
type HistoryPart = Omit<HistoryQuery, "names" | "maxPoints">;
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
  /** Start times of the attempts that the clock counts. */
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

/** Milliseconds within which requests are combined; a page makes all of its requests in less. */
const TOGETHER = 4;

interface Asked {
  runId: string;
  signal: AbortSignal;
  resolve: (curves: MetricCurves) => void;
  reject: (cause: unknown) => void;
}

/**
 * Combines the requests of many loaders: those made at the same time for the same part of the curves become
 * one. Each can be aborted by itself; the combined request is aborted with the last of them.
 */
export class HistoryBatch {
  private readonly waiting = new Map<string, Asked[]>();

  constructor(
    private readonly timers: Timers,
    private readonly one = fetchCurves,
    private readonly many = fetchMetricHistories,
  ) {}

  readonly ask = (
    runId: string,
    query: HistoryQuery,
    signal: AbortSignal,
  ): Promise<MetricCurves> => {
    const key = JSON.stringify(query);
    const asked = this.waiting.get(key) ?? [];
    if (asked.length === 0) {
      this.waiting.set(key, asked);
      this.timers.set(() => {
        this.waiting.delete(key);
        void this.send(query, asked);
      }, TOGETHER);
    }
    return new Promise((resolve, reject) => asked.push({ runId, signal, resolve, reject }));
  };

  private async send(query: HistoryQuery, all: readonly Asked[]) {
    const wanted = all.filter(({ signal }) => !signal.aborted);
    if (wanted.length === 0) return;
    const request = new AbortController();
    const endIfUnwanted = () => {
      if (wanted.every(({ signal }) => signal.aborted)) request.abort();
    };
    for (const { signal } of wanted) signal.addEventListener("abort", endIfUnwanted);
    try {
      const answer = await this.answer(query, wanted, request.signal);
      for (const { runId, resolve, reject } of wanted) {
        const curves = answer.runs.find(({ run_id }) => run_id === runId);
        if (curves) resolve(curves);
        else reject(problemOf(answer, runId));
      }
    } catch (cause) {
      for (const { reject } of wanted) reject(cause);
    } finally {
      for (const { signal } of wanted) signal.removeEventListener("abort", endIfUnwanted);
    }
  }

  private async answer(
    query: HistoryQuery,
    wanted: readonly Asked[],
    signal: AbortSignal,
  ): Promise<RunsMetricCurves> {
    const ids = [...new Set(wanted.map(({ runId }) => runId))];
    if (ids.length > 1) return this.many(ids, query, signal);
    return { runs: [await this.one(ids[0]!, query, signal)], problems: {} };
  }
}

function problemOf({ problems }: RunsMetricCurves, runId: string) {
  const problem = problems[runId];
  return problemFrom(problem?.status ?? 500, problem);
}
