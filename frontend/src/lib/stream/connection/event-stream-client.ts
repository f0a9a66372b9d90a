import type { EndEvent, EvaluationEvent, MetricRow, MetricsEvent, StatusEvent } from "@/lib/api";
import { backoff } from "./backoff";
import { type Cursors, readCursor, writeCursor } from "./cursor";
import { CLOSED, type ConnectionState, type Source, type StreamEvent, type Timers } from "./events";
import { Listeners } from "../../store/listeners";

export interface EventStreamOptions {
  url: string;
  open: (url: string) => Source;
  timers: Timers;
  random?: () => number;
}

/** Until its first row arrives (`lastSeq` -1), a follower only knows the offset that it goes on from. */
interface Follower {
  from: number;
  lastSeq: number;
  onRows: (rows: MetricRow[]) => void;
}

/** As many refusals in a row mean that the cursors themselves are refused. */
const REFUSED_CURSORS = 2;

/**
 * The one event stream of the app (browsers allow six connections per host).
 *
 * It names the runs somebody follows, and is opened anew, from where each run was left, when that set
 * changes. The browser reconnects a dropped stream by itself; a source that gave up (the service was
 * restarted, say) is replaced after a backoff; one that never opened was refused, and listeners are told,
 * as asking the same again may never succeed. A follower gets each row after its own cursor once.
 */
export class EventStreamClient {
  private readonly events = new Listeners<[StreamEvent]>();
  private readonly states = new Listeners<[]>();
  private readonly followed = new Map<string, Set<Follower>>();
  private cursors: Cursors = new Map();
  private state: ConnectionState = "connecting";
  private source: Source | null = null;
  private timer: number | null = null;
  private attempt = 0;
  private refusals = 0;
  private openedBefore = false;
  private sourceOpened = false;
  private dropped = false;
  private running = false;

  constructor(private readonly options: EventStreamOptions) {}

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
    const from = Number(readCursor(cursor).get(runId) ?? 0);
    const follower: Follower = { from, lastSeq: -1, onRows };
    const followers = this.followed.get(runId);
    if (followers) {
      followers.add(follower);
      if (from < this.position(runId)) this.rewind(runId, from);
    } else {
      this.followed.set(runId, new Set([follower]));
      this.cursors.set(runId, String(from));
      this.reopenSoon();
    }
    return () => {
      const all = this.followed.get(runId);
      if (all?.delete(follower) && all.size === 0) this.forget(runId);
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

  private position(runId: string): number {
    return Number(this.cursors.get(runId) ?? 0);
  }

  /** Reads a run again from an earlier row; whoever has seen the rows is not told twice. */
  private rewind(runId: string, to: number) {
    this.cursors.set(runId, String(to));
    if (this.running && this.source !== null) this.reopen();
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
    this.sourceOpened = false;
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
    this.refusals = 0;
    this.sourceOpened = true;
    this.setState("live");
    const { dropped, openedBefore } = this;
    this.dropped = false;
    this.openedBefore = true;
    if (dropped) this.events.tell({ kind: "reconnected" });
    else if (openedBefore) this.events.tell({ kind: "reopened" });
  }

  private failed(source: Source) {
    this.markDropped();
    if (source.readyState !== CLOSED) return;
    this.schedule(backoff(this.attempt, this.options.random));
    this.attempt += 1;
    if (this.sourceOpened) return;
    this.refusals += 1;
    this.events.tell({ kind: "refused", cursors: this.refusals >= REFUSED_CURSORS });
  }

  private receive({ run_id, rows }: MetricsEvent, id: string) {
    const followers = this.followed.get(run_id);
    if (!followers) return;
    const start = this.position(run_id);
    for (const [runId, offset] of readCursor(id)) {
      if (this.followed.has(runId)) this.cursors.set(runId, offset);
    }
    const end = this.position(run_id);
    // These rows hold some before and some after where the follower goes on: they must be cut there.
    const cuts = [...followers]
      .filter(({ from, lastSeq }) => lastSeq === -1 && start < from && from < end)
      .map(({ from }) => from);
    for (const follower of followers) {
      if (follower.lastSeq >= 0 || follower.from <= start) deliver(follower, rows);
    }
    if (cuts.length > 0) this.rewind(run_id, Math.min(...cuts));
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

function deliver(follower: Follower, rows: MetricRow[]) {
  const fresh = rows.filter(({ seq }) => seq > follower.lastSeq);
  const last = fresh.at(-1);
  if (!last) return;
  follower.lastSeq = last.seq;
  follower.onRows(fresh);
}
