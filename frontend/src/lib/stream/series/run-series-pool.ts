import type { HistoryQuery } from "@/api/metrics";
import type { MetricCurves } from "@/api/types";
import { createStore, type ReadableStore } from "../../store";
import type { Timers } from "../../time";
import type { EventStreamClient } from "../connection/event-stream-client";
import type { AxisWindow, MetricAxis } from "./axis";
import { HistoryBatch } from "./history-batch";
import { EPISODE, RunSeries } from "./run-series";
import { type HistoryPart, type LoaderState, RunSeriesLoader } from "./run-series-loader";
import type { AttemptTimes } from "./training-clock";

export interface FollowedRun {
  id: string;
  /** A run that has ended logs no more rows, so it is not followed. */
  ended_at?: string | null;
  /** Times are counted over these. */
  attempts?: readonly AttemptTimes[];
  /** Rows that no longer count. When there are more of them, the history is loaded again. */
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
const HISTORY_POINTS = { most: 2000, least: 500, together: 20_000 };

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
  private points = HISTORY_POINTS.most;
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
