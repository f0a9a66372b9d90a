import type {
  EndEvent,
  EvaluationEvent,
  ExperimentEvent,
  MetricRow,
  MetricsEvent,
  NotificationEvent,
  StatusEvent,
} from "@/api/types";
import { createStore, Listeners, type ReadableStore } from "../../store";
import { backoff, type Timers } from "../../time";
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
import { RunSubscriptions, type SubscriptionChange } from "./run-subscriptions";

export interface EventStreamOptions {
  url: string;
  /** Opens a source at `url` with a query string that `RunSubscriptions.query` has written. */
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

  /** Opens the stream once more, soon: the service then sends the state of all runs that are followed. */
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
