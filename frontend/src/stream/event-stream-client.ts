import type {
  EndEvent,
  EvaluationEvent,
  ExperimentEvent,
  MetricRow,
  MetricsEvent,
  NotificationEvent,
  StatusEvent,
} from "@/api/types";
import { createStore, Listeners, type ReadableStore } from "@/lib/store";
import { backoff, type Timers } from "@/lib/time";
import {
  type Connection,
  type ConnectionEvent,
  connectionState,
  type Effect,
  INITIAL,
  transition,
} from "./connection-machine";
import {
  CLOSED,
  type ConnectionState,
  type Source,
  type SourceMessage,
  type StreamEvent,
} from "./events";

/** Until its first row arrives (`lastSeq` -1), a subscriber only knows the byte offset to continue from. */
interface Subscriber {
  from: number;
  lastSeq: number;
  /** `cursor` is the run's after these rows. */
  onRows: (rows: MetricRow[], cursor: string) => void;
}

/** What a change of subscriptions requires of the connection. */
type SubscriptionChange = "none" | "runsChanged" | "rewound";

/**
 * Who follows which runs, and how far each run has been read. Every subscriber gets each row after its own
 * cursor exactly once, even when rows are read again for another subscriber.
 */
class RunSubscriptions {
  private readonly byRun = new Map<string, Set<Subscriber>>();
  private readonly cursors: Cursors = new Map();

  add(
    runId: string,
    cursor: string,
    onRows: (rows: MetricRow[], cursor: string) => void,
  ): { change: SubscriptionChange; remove: () => SubscriptionChange } {
    const from = Number(readCursor(cursor).get(runId) ?? 0);
    const subscriber: Subscriber = { from, lastSeq: -1, onRows };
    return {
      change: this.register(runId, subscriber),
      remove: () => {
        const all = this.byRun.get(runId);
        return all?.delete(subscriber) && all.size === 0 ? this.forget(runId) : "none";
      },
    };
  }

  forget(runId: string): SubscriptionChange {
    this.byRun.delete(runId);
    this.cursors.delete(runId);
    return "runsChanged";
  }

  /** Delivers rows. `id` is the stream's cursor after them. */
  receive({ run_id, rows }: MetricsEvent, id: string): SubscriptionChange {
    const subscribers = this.byRun.get(run_id);
    if (!subscribers) return "none";
    const start = this.position(run_id);
    for (const [runId, offset] of readCursor(id)) {
      if (this.byRun.has(runId)) this.cursors.set(runId, offset);
    }
    const end = this.position(run_id);
    // A subscriber that starts within these rows needs them requested again from its cursor.
    const cuts = [...subscribers]
      .filter(({ from, lastSeq }) => lastSeq === -1 && start < from && from < end)
      .map(({ from }) => from);
    for (const subscriber of subscribers) {
      if (subscriber.lastSeq >= 0 || subscriber.from <= start)
        deliver(subscriber, rows, `${run_id}:${end}`);
    }
    return cuts.length > 0 ? this.rewind(run_id, Math.min(...cuts)) : "none";
  }

  /** The stream's query string: the runs and their cursors. */
  query(): URLSearchParams {
    const runs = [...this.byRun.keys()];
    const query = new URLSearchParams();
    if (runs.length > 0) query.set("runs", runs.join(","));
    const cursor = writeCursor(this.cursors, runs);
    if (cursor !== "") query.set("last_event_id", cursor);
    return query;
  }

  private register(runId: string, subscriber: Subscriber): SubscriptionChange {
    const subscribers = this.byRun.get(runId);
    if (!subscribers) {
      this.byRun.set(runId, new Set([subscriber]));
      this.cursors.set(runId, String(subscriber.from));
      return "runsChanged";
    }
    subscribers.add(subscriber);
    return subscriber.from < this.position(runId) ? this.rewind(runId, subscriber.from) : "none";
  }

  private position(runId: string): number {
    return Number(this.cursors.get(runId) ?? 0);
  }

  private rewind(runId: string, to: number): SubscriptionChange {
    this.cursors.set(runId, String(to));
    return "rewound";
  }
}

function deliver(subscriber: Subscriber, rows: MetricRow[], cursor: string) {
  const fresh = rows.filter(({ seq }) => seq > subscriber.lastSeq);
  const last = fresh.at(-1);
  if (!last) return;
  subscriber.lastSeq = last.seq;
  subscriber.onRows(fresh, cursor);
}

/**
 * Stream cursors by run: `<run id>:<offset>` for each, joined by commas in the address. A connection with
 * another set of runs continues where each was left.
 */
type Cursors = Map<string, string>;

export function readCursor(cursor: string | null | undefined): Cursors {
  const cursors: Cursors = new Map();
  for (const part of (cursor ?? "").split(",")) {
    const colon = part.lastIndexOf(":");
    if (colon > 0) cursors.set(part.slice(0, colon), part.slice(colon + 1));
  }
  return cursors;
}

export function writeCursor(cursors: Cursors, runIds: Iterable<string>): string {
  return [...runIds]
    .filter((id) => cursors.has(id))
    .map((id) => `${id}:${cursors.get(id)}`)
    .join(",");
}

export interface EventStreamOptions {
  url: string;
  /** Opens a source at `url` with a query string from `RunSubscriptions.query`. */
  open: (url: string) => Source;
  timers: Timers;
  random?: () => number;
  /** Notifications after this moment are wanted, in milliseconds. */
  since: number;
}

/**
 * The app's one event stream; browsers allow only six connections per host.
 * Its address names the followed runs, and it is opened again, from each run's cursor, when that set changes.
 * `connection-machine.ts` decides when it opens, waits and gives up; `run-subscriptions.ts`, who receives
 * which rows. This class owns the event source and the timer.
 */
export class EventStreamClient {
  private readonly events = new Listeners<[StreamEvent]>();
  private readonly stateStore = createStore<ConnectionState>("connecting");
  private readonly subscriptions = new RunSubscriptions();
  private connection: Connection = INITIAL;
  private source: Source | null = null;
  private timer: number | null = null;
  /** Number of the last notification that was received: milliseconds, like the moment it begins with. */
  private notified: number;

  constructor(private readonly options: EventStreamOptions) {
    this.notified = options.since;
  }

  readonly onEvent = this.events.subscribe;
  readonly state: ReadableStore<ConnectionState> = this.stateStore;

  start() {
    this.dispatch("start");
  }

  stop() {
    this.dispatch("stop");
  }

  /** Closes the connection until `resume`, which catches up on everything. Before `start`, it keeps it closed. */
  pause() {
    this.dispatch("pause");
  }

  /** Opens the connection, unless there is one. */
  resume() {
    if (this.connection.phase === "stopped") this.dispatch("start");
  }

  /** Reopens the stream soon: the service then sends the state of all followed runs. */
  reopen() {
    this.dispatch("runsChanged");
  }

  /** Has the next stream send the notifications after `number`, also if they have been received. */
  repeatNotifications(number: number) {
    this.notified = Math.min(this.notified, number);
  }

  /** Reconnects at once, for when the network has come back. */
  retryNow() {
    this.dispatch("networkBack");
  }

  /** Marks the connection as lost, for when the network is gone; the browser may take long to notice. */
  markDropped() {
    this.dispatch("networkGone");
  }

  /** Delivers the rows of a run after `cursor`. Returns a function that unsubscribes. */
  follow(
    runId: string,
    cursor: string,
    onRows: (rows: MetricRow[], cursor: string) => void,
  ): () => void {
    const { change, remove } = this.subscriptions.add(runId, cursor, onRows);
    this.applyChange(change);
    return () => this.applyChange(remove());
  }

  private applyChange(change: SubscriptionChange) {
    if (change !== "none") this.dispatch(change);
  }

  private dispatch(event: ConnectionEvent) {
    const { next, effects } = transition(this.connection, event);
    this.connection = next;
    this.stateStore.set(connectionState(next));
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: Effect) {
    switch (effect.kind) {
      case "open":
        this.close();
        this.listenTo(this.options.open(this.address()));
        return;
      case "close":
        return this.close();
      case "schedule":
        return this.schedule(effect.attempt);
      case "emit":
        return this.events.notify(effect.event);
    }
  }

  private close() {
    this.cancelTimer();
    this.source?.close();
    this.source = null;
  }

  private schedule(attempt: number | null) {
    this.cancelTimer();
    const wait = attempt === null ? 0 : backoff(attempt, this.options.random);
    this.timer = this.options.timers.set(() => {
      this.timer = null;
      this.dispatch("timerDue");
    }, wait);
  }

  private cancelTimer() {
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
  }

  private address(): string {
    const query = this.subscriptions.query();
    query.set("notified", String(this.notified));
    return `${this.options.url}?${query}`;
  }

  private listenTo(source: Source) {
    this.source = source;
    // A source that was replaced may still deliver events.
    const isCurrent = () => this.source === source;
    source.onopen = () => {
      if (isCurrent()) this.dispatch("sourceOpened");
    };
    source.onerror = () => {
      if (!isCurrent()) return;
      this.dispatch(source.readyState === CLOSED ? "sourceClosed" : "sourceInterrupted");
    };
    source.onmessage = (message) => {
      if (isCurrent()) this.receive(message);
    };
  }

  private receive({ type, data, id }: SourceMessage) {
    switch (type) {
      case "metrics":
        return this.applyChange(this.subscriptions.receive(data as MetricsEvent, id));
      case "status":
        return this.events.notify({ kind: "status", ...(data as StatusEvent) });
      case "evaluation":
        return this.events.notify({ kind: "evaluation", ...(data as EvaluationEvent) });
      case "experiment":
        return this.events.notify({
          kind: "experiment",
          id: (data as ExperimentEvent).experiment_id,
        });
      case "notification": {
        const { notification } = data as NotificationEvent;
        if (notification.number <= this.notified) return;
        this.notified = notification.number;
        return this.events.notify({ kind: "notification", notification });
      }
      case "end": {
        const end = data as EndEvent;
        if (end.status === "deleted") this.applyChange(this.subscriptions.forget(end.run_id));
        return this.events.notify({ kind: "end", end });
      }
      case "reopened":
        return this.events.notify({ kind: "reopened" });
    }
  }
}

/** The events of the service (`docs/api.md`). */
const EVENTS = ["metrics", "status", "evaluation", "notification", "experiment", "end"];

/** An event stream of this page's own. */
export function openEventSource(url: string): Source {
  const stream = new EventSource(url);
  const source: Source = {
    get readyState() {
      return stream.readyState;
    },
    onopen: null,
    onerror: null,
    onmessage: null,
    close: () => stream.close(),
  };
  stream.onopen = () => source.onopen?.();
  stream.onerror = () => source.onerror?.();
  for (const type of EVENTS) {
    stream.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) =>
      source.onmessage?.({ type, data: JSON.parse(data) as unknown, id: lastEventId }),
    );
  }
  return source;
}
