import { ApiError, type MetricCurves } from "@/lib/api";
import { backoff } from "./backoff";
import type { Timers } from "./events";
import type { StreamHub } from "./hub";
import { Listeners } from "./listeners";
import type { RunSeries } from "./run-series";

export type FeedState =
  | { phase: "loading" }
  | { phase: "ready"; brokenLines: number }
  | { phase: "failed"; error: ApiError };

export interface FeedOptions {
  runId: string;
  series: RunSeries;
  hub: StreamHub;
  history: (signal: AbortSignal) => Promise<MetricCurves>;
  timers: Timers;
}

/** Fills a series: history first, then the stream from the history's cursor on. */
export class RunFeed {
  private state: FeedState = { phase: "loading" };
  private readonly states = new Listeners<[]>();
  private abort = new AbortController();
  private release: (() => void) | null = null;
  private unlisten: (() => void) | null = null;
  private timer: number | null = null;
  private attempt = 0;

  constructor(private readonly options: FeedOptions) {}

  readonly onState = this.states.add;
  readonly getState = () => this.state;

  start() {
    this.abort = new AbortController();
    void this.load(this.abort.signal);
    // A position that the service refuses is no place to go on from: history gives another.
    this.unlisten = this.options.hub.onEvent((event) => {
      if (event.kind !== "refused" || !event.cursors || this.release === null) return;
      this.stop();
      this.start();
    });
  }

  stop() {
    this.abort.abort();
    this.unlisten?.();
    this.release?.();
    this.release = null;
    if (this.timer !== null) this.options.timers.clear(this.timer);
  }

  private async load(signal: AbortSignal) {
    try {
      const history = await this.options.history(signal);
      if (signal.aborted) return;
      const { series, hub, runId } = this.options;
      series.load(history);
      this.release = hub.follow(runId, history.cursor, (rows) => series.append(rows));
      this.become({ phase: "ready", brokenLines: history.broken_lines });
    } catch (error) {
      if (!signal.aborted) this.retryLater(error, signal);
    }
  }

  private retryLater(cause: unknown, signal: AbortSignal) {
    const error = cause instanceof ApiError ? cause : new ApiError(0, "Metrics", String(cause));
    this.become({ phase: "failed", error });
    if (error.isNotFound) return;
    this.timer = this.options.timers.set(() => void this.load(signal), backoff(this.attempt));
    this.attempt += 1;
  }

  private become(state: FeedState) {
    this.state = state;
    this.states.tell();
  }
}
