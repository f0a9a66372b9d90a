import type { MetricRow, MetricsEvent } from "@/api/types";
import { type Cursors, readCursor, writeCursor } from "./cursor";

/** Until its first row arrives (`lastSeq` -1), a subscriber only knows the byte offset that it goes on from. */
interface Subscriber {
  from: number;
  lastSeq: number;
  /** `cursor` is the run's after these rows. */
  onRows: (rows: MetricRow[], cursor: string) => void;
}

/** What a change of subscriptions requires of the connection. */
export type SubscriptionChange = "none" | "runsChanged" | "rewound";

/**
 * Who follows which runs, and how far each run has been read. Every subscriber gets each row after its own
 * cursor exactly once, even when rows are read again for another subscriber.
 */
export class RunSubscriptions {
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
