import type { MetricRow } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { EventStreamClient } from "./event-stream-client";
import { CLOSED, type Source, type SourceMessage, type StreamEvent } from "./events";
import type { FromHub, Port, ToHub } from "./messages";
import { SharedStream } from "./shared-stream";
import { StreamHub } from "./stream-hub";

/** An event source that a test opens, fills and breaks by hand. */
export class FakeSource implements Source {
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((message: SourceMessage) => void) | null = null;

  constructor(readonly url: string) {}

  get query(): URLSearchParams {
    return new URL(this.url, "http://localhost").searchParams;
  }

  close() {
    this.readyState = CLOSED;
  }

  connect() {
    this.readyState = 1;
    this.onopen?.();
  }

  /** `forGood`: the browser gives up, as it does when the answer is not a stream. */
  fail({ forGood }: { forGood: boolean }) {
    this.readyState = forGood ? CLOSED : 0;
    this.onerror?.();
  }

  emit(type: string, data: unknown, id = "") {
    this.onmessage?.({ type, data, id });
  }
}

/** A tab of a `FakeOrigin`. */
export interface FakePage {
  client: EventStreamClient;
  events: StreamEvent[];
  /** Whether what is sent in either direction arrives. */
  wire: { toHub: boolean; toPage: boolean };
  follow: (run: string, cursor?: string) => { seqs: number[]; release: () => void };
  /** Has a message of the hub arrive that the page has not waited for. */
  answerLate: () => void;
  kinds: () => string[];
}

/** Pages of one origin and their hub. Messages go through structured clones, as those of the browser do. */
export class FakeOrigin {
  readonly timers = new FakeTimers();
  /** Streams of the hub. */
  readonly shared: FakeSource[] = [];
  /** Streams that pages have of their own. */
  readonly own: FakeSource[] = [];
  private readonly hub = new StreamHub("/api/stream", {
    open: (url) => push(this.shared, url),
    timers: this.timers,
    random: () => 0.5,
  });

  /** The stream of the hub that is open, once what waits to be opened has been. */
  stream(): FakeSource {
    this.timers.advance(0);
    const last = this.shared.at(-1)!;
    if (last.readyState === 0) last.connect();
    return last;
  }

  /** How many streams of the hub are open. */
  open(): number {
    return this.shared.filter(({ readyState }) => readyState !== 2).length;
  }

  /** @param options `connects`: there are shared workers. `answers`: the hub's messages arrive. */
  page({ since = 1_000, connects = true, answers = true } = {}): FakePage {
    const wire = { toHub: true, toPage: answers };
    const here: Port<ToHub, FromHub> = {
      postMessage: (data) => wire.toHub && there.onmessage?.({ data: structuredClone(data) }),
      onmessage: null,
    };
    const there: Port<FromHub, ToHub> = {
      postMessage: (data) => wire.toPage && here.onmessage?.({ data: structuredClone(data) }),
      onmessage: null,
    };
    const connect = () => {
      this.hub.connect(there);
      return here;
    };
    const client = new EventStreamClient({
      url: "/api/stream",
      timers: this.timers,
      since,
      random: () => 0.5,
      open: new SharedStream({
        connect: connects ? connect : () => null,
        openOwn: (url) => push(this.own, url),
        timers: this.timers,
      }).open,
    });
    const events: StreamEvent[] = [];
    client.onEvent((event) => events.push(event));
    client.start();
    const follow = (run: string, cursor = "0") => {
      const seqs: number[] = [];
      const onRows = (rows: MetricRow[]) => seqs.push(...rows.map(({ seq }) => seq));
      const release = client.follow(run, `${run}:${cursor}`, onRows);
      this.timers.advance(0);
      return { seqs, release };
    };
    const answerLate = () => there.postMessage({ kind: "pong", id: 1 });
    return {
      client,
      events,
      wire,
      follow,
      answerLate,
      kinds: () => events.map(({ kind }) => kind),
    };
  }
}

function push(list: FakeSource[], url: string): FakeSource {
  const source = new FakeSource(url);
  list.push(source);
  return source;
}
