import { type HistoryQuery, fetchMetricHistory } from "@/lib/api";
import type { MetricAxis, Window } from "./axis";
import type { Timers } from "./events";
import { type FeedState, RunFeed } from "./feed";
import type { StreamHub } from "./hub";
import { Listeners } from "./listeners";
import { RunSeries } from "./run-series";

export interface FollowedRun {
  id: string;
  /** RFC 3339; what its times are counted from. */
  started_at?: string | null;
}

export interface RunCurves {
  series: RunSeries;
  state: FeedState;
}

interface Entry {
  series: RunSeries;
  feed: RunFeed;
  stop: (() => void) | null;
}

const HISTORY_POINTS = 2000;
const LOADING: FeedState = { phase: "loading" };

/** The feeds of a changing set of runs. A run that stays is not asked for again. */
export class FeedPool {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Listeners<[]>();
  private axis: MetricAxis = "step";
  private window: Window | null = null;
  private version = 0;

  constructor(
    private readonly hub: StreamHub,
    private readonly names: readonly string[] | null,
    private readonly timers: Timers,
    private readonly ask = (id: string, query: HistoryQuery, signal: AbortSignal) =>
      fetchMetricHistory(id, query, signal),
  ) {}

  readonly subscribe = this.listeners.add;
  readonly getVersion = () => this.version;

  curves(id: string): RunCurves {
    const { series, feed } = this.entry(id);
    return { series, state: feed.getState() ?? LOADING };
  }

  /** Follows these runs and no others, along this axis. */
  follow(runs: readonly FollowedRun[], axis: MetricAxis) {
    this.axis = axis;
    for (const id of [...this.entries.keys()]) {
      if (!runs.some((run) => run.id === id)) this.drop(id);
    }
    for (const { id, started_at } of runs) {
      const entry = this.entry(id);
      entry.feed.startedAt = started_at ? Date.parse(started_at) / 1000 : null;
      entry.feed.setAxis(axis);
      if (entry.stop) continue;
      const unlisten = entry.feed.onState(() => this.changed());
      entry.feed.start();
      entry.stop = () => {
        unlisten();
        entry.feed.stop();
      };
      entry.feed.zoom(this.window);
    }
  }

  zoom(window: Window | null) {
    this.window = window;
    for (const { feed } of this.entries.values()) feed.zoom(window);
  }

  /** Lets go of all; `follow` takes them up again. */
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
      const feed = new RunFeed({
        runId: id,
        series,
        hub: this.hub,
        timers: this.timers,
        axis: this.axis,
        history: (x, signal, window) => this.ask(id, this.query(x, window), signal),
      });
      entry = { series, feed, stop: null };
      this.entries.set(id, entry);
    }
    return entry;
  }

  private query(x: MetricAxis, window: Window | undefined): HistoryQuery {
    const range = window && { from: window[0], to: window[1] };
    return { names: this.names, maxPoints: HISTORY_POINTS, x, ...range };
  }

  private changed() {
    this.version += 1;
    this.listeners.tell();
  }
}
