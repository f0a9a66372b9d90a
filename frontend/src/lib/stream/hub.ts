import type { EndEvent, EvaluationEvent, MetricRow, MetricsEvent, StatusEvent } from "@/lib/api";
import { backoff } from "./backoff";
import { type Cursors, readCursor, writeCursor } from "./cursor";
import { CLOSED, type ConnectionState, type Source, type StreamEvent, type Timers } from "./events";
import { Listeners } from "./listeners";

export interface HubOptions {
  url: string;
  open: (url: string) => Source;
  timers: Timers;
  random?: () => number;
}

interface Followed {
  rows: Listeners<[MetricRow[]]>;
  followers: number;
  lastSeq: number;
}

/**
 * The one event stream of the app (browsers allow six connections per host).
 *
 * It names the runs somebody follows, and is opened anew, from where each run was left, when that set
 * changes. The browser reconnects a dropped stream by itself; a source that gave up (the service was
 * restarted, say) is replaced after a backoff. Every row reaches its followers once: rows whose `seq`
 * was seen are dropped.
 */
export class StreamHub {
  private readonly events = new Listeners<[StreamEvent]>();
  private readonly states = new Listeners<[]>();
  private readonly followed = new Map<string, Followed>();
  private cursors: Cursors = new Map();
  private state: ConnectionState = "connecting";
  private source: Source | null = null;
  private timer: number | null = null;
  private attempt = 0;
  private dropped = false;
  private running = false;

  constructor(private readonly options: HubOptions) {}

  readonly onEvent = this.events.add;
  readonly onState = this.states.add;
  readonly getState = () => this.state;

  start() {
    this.running = true;
    this.reopen();
  }

  stop() {
    this.running = false;
    this.cancelTimer();
    this.closeSource();
  }

  /** Lets the connection go until `start`, which catches up on everything. */
  pause() {
    this.markDropped();
    this.stop();
  }

  /** Delivers the rows of a run that come after `cursor`; the answer stops it. */
  follow(runId: string, cursor: string, onRows: (rows: MetricRow[]) => void): () => void {
    const entry = this.followed.get(runId) ?? { rows: new Listeners(), followers: 0, lastSeq: -1 };
    if (entry.followers === 0) {
      const offset = readCursor(cursor).get(runId);
      if (offset !== undefined) this.cursors.set(runId, offset);
      this.followed.set(runId, entry);
      this.reopenSoon();
    }
    entry.followers += 1;
    const unlisten = entry.rows.add(onRows);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      unlisten();
      entry.followers -= 1;
      if (entry.followers === 0 && this.followed.get(runId) === entry) this.forget(runId);
    };
  }

  /** Connects again at once: the network is known to have come back. */
  retryNow() {
    if (!this.running) return;
    this.attempt = 0;
    this.reopen();
  }

  /** The network is known to be gone; the browser may take long to notice. */
  markDropped() {
    if (!this.running) return;
    this.dropped = true;
    this.setState("reconnecting");
  }

  private forget(runId: string) {
    this.followed.delete(runId);
    this.cursors.delete(runId);
    this.reopenSoon();
  }

  /** Several runs may be followed in one go (a page opens): one reopening serves them all. */
  private reopenSoon() {
    if (!this.running || this.source === null) return;
    this.schedule(0);
  }

  private schedule(ms: number) {
    this.cancelTimer();
    this.timer = this.options.timers.set(() => {
      this.timer = null;
      this.reopen();
    }, ms);
  }

  private reopen() {
    this.cancelTimer();
    this.closeSource();
    const source = this.options.open(this.address());
    this.source = source;
    const whileCurrent =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (this.source === source) handle(...args);
      };
    source.onopen = whileCurrent(() => this.opened());
    source.onerror = whileCurrent(() => this.failed(source));
    const on = (type: string, handle: (data: never, id: string) => void) =>
      source.addEventListener(
        type,
        whileCurrent((event) => handle(JSON.parse(event.data) as never, event.lastEventId)),
      );
    on("metrics", (data: MetricsEvent, id) => this.receive(data, id));
    on("status", (data: StatusEvent) => this.events.tell({ kind: "status", ...data }));
    on("evaluation", (data: EvaluationEvent) => this.events.tell({ kind: "evaluation", ...data }));
    on("end", (data: EndEvent) => this.ended(data));
  }

  private address(): string {
    const runs = [...this.followed.keys()];
    const query = new URLSearchParams();
    if (runs.length > 0) query.set("runs", runs.join(","));
    const cursor = writeCursor(this.cursors, runs);
    if (cursor !== "") query.set("last_event_id", cursor);
    const search = query.toString();
    return search === "" ? this.options.url : `${this.options.url}?${search}`;
  }

  private opened() {
    this.attempt = 0;
    this.setState("live");
    if (this.dropped) {
      this.dropped = false;
      this.events.tell({ kind: "reconnected" });
    }
  }

  private failed(source: Source) {
    this.markDropped();
    if (source.readyState !== CLOSED) return;
    this.schedule(backoff(this.attempt, this.options.random));
    this.attempt += 1;
  }

  private receive({ run_id, rows }: MetricsEvent, id: string) {
    const entry = this.followed.get(run_id);
    if (!entry) return;
    for (const [runId, offset] of readCursor(id)) {
      if (this.followed.has(runId)) this.cursors.set(runId, offset);
    }
    const fresh = rows.filter((row) => row.seq > entry.lastSeq);
    const last = fresh.at(-1);
    if (!last) return;
    entry.lastSeq = last.seq;
    entry.rows.tell(fresh);
  }

  private ended(end: EndEvent) {
    if (end.status === "deleted") this.forget(end.run_id);
    this.events.tell({ kind: "end", end });
  }

  private setState(state: ConnectionState) {
    if (this.state === state) return;
    this.state = state;
    this.states.tell();
  }

  private cancelTimer() {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
  }

  private closeSource() {
    this.source?.close();
    this.source = null;
  }
}
