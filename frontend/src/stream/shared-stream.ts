import type { Timers } from "@/lib/time";
import { CLOSED, CONNECTING, OPEN, type Source, type SourceMessage } from "./events";
import type { FromHub, Port, ToHub } from "./messages";

/**
 * Milliseconds after which a page no longer waits for a hub that has not answered. On a busy machine the hub starts
 * slowly.
 */
export const ANSWER_MS = 10_000;

/** Milliseconds between two signs of life of a page, and of the hub. */
export const PING_MS = 15_000;

/** Number of consecutive signs of life that the hub may miss. After the sleep of a laptop it misses one. */
const OWED = 2;

export interface SharedStreamOptions {
  /** Connects to the hub; null if hubs are not possible. `onFailure`: its script could not run. */
  connect: (onFailure: () => void) => Port<ToHub, FromHub> | null;
  /** Opens a stream of this page's own. */
  openOwn: (url: string) => Source;
  timers: Timers;
}

/**
 * Opens the page's event stream at the hub that all pages of the origin share. If the hub does not work, or its stream
 * was refused, the page opens a separate stream.
 */
export class SharedStream {
  private port: Port<ToHub, FromHub> | null = null;
  private hasConnected = false;
  private isUsable = true;
  /** The hub's last stream was refused, or the hub went away. */
  private isOwnDue = false;
  private nextId = 1;
  private readonly sources = new Map<number, SharedSource>();

  constructor(private readonly options: SharedStreamOptions) {}

  readonly open = (url: string): Source => {
    const port = this.isOwnDue ? null : this.connected();
    this.isOwnDue = false;
    if (!port) return this.options.openOwn(url);
    const id = this.nextId++;
    const source = new SharedSource(id, url, port, this.options, {
      onGone: () => this.sources.delete(id),
      onUnanswered: () => this.giveUp(),
      onRefused: () => {
        this.isOwnDue = true;
      },
    });
    this.sources.set(id, source);
    source.begin();
    return source;
  };

  private connected(): Port<ToHub, FromHub> | null {
    if (!this.hasConnected) {
      this.hasConnected = true;
      this.port = this.options.connect(() => this.giveUp());
      if (this.port) this.port.onmessage = ({ data }) => this.receive(data);
    }
    return this.isUsable ? this.port : null;
  }

  private receive(message: FromHub) {
    this.isUsable = true; // It may only have been late.
    this.sources.get(message.id)?.receive(message);
  }

  private giveUp() {
    this.isUsable = false;
    for (const source of [...this.sources.values()]) source.fallBack();
  }
}

interface SharedSourceHandlers {
  onGone: () => void;
  onUnanswered: () => void;
  onRefused: () => void;
}

/** A stream at the hub, until it falls back to a separate stream. */
class SharedSource implements Source {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((message: SourceMessage) => void) | null = null;
  private state: number = CONNECTING;
  private own: Source | null = null;
  private timer: number | null = null;
  private owed = 0;
  private hasAnswered = false;

  constructor(
    private readonly id: number,
    private readonly url: string,
    private readonly port: Port<ToHub, FromHub>,
    private readonly options: SharedStreamOptions,
    private readonly handlers: SharedSourceHandlers,
  ) {}

  begin() {
    const { id, url } = this;
    this.timer = this.options.timers.set(() => {
      if (!this.hasAnswered) return this.handlers.onUnanswered();
      this.ping();
    }, ANSWER_MS);
    this.send({ kind: "open", id, query: url.slice(url.indexOf("?") + 1) });
    this.send({ kind: "ping", id });
  }

  get readyState(): number {
    return this.own?.readyState ?? this.state;
  }

  close() {
    if (this.own) return this.own.close();
    if (this.state === CLOSED) return;
    this.send({ kind: "close", id: this.id });
    this.end();
  }

  receive(message: FromHub) {
    if (this.own || this.state === CLOSED) return;
    this.hasAnswered = true;
    this.owed = 0;
    switch (message.kind) {
      case "opened":
        this.state = OPEN;
        return this.onopen?.();
      case "interrupted":
        this.state = CONNECTING;
        return this.onerror?.();
      case "message":
        return this.onmessage?.(message.message);
      case "full":
        return this.fallBack();
      case "closed":
        return this.refuse();
    }
  }

  /** Continues with a separate stream of this page. */
  fallBack() {
    if (this.own || this.state === CLOSED) return;
    this.send({ kind: "close", id: this.id });
    this.end();
    const own = this.options.openOwn(this.url);
    this.own = own;
    own.onopen = () => this.onopen?.();
    own.onerror = () => this.onerror?.();
    own.onmessage = (message) => this.onmessage?.(message);
  }

  private refuse() {
    this.end();
    this.handlers.onRefused();
    this.onerror?.();
  }

  private ping() {
    this.owed += 1;
    if (this.owed > OWED) return this.refuse();
    this.send({ kind: "ping", id: this.id });
    this.timer = this.options.timers.set(() => this.ping(), PING_MS);
  }

  private end() {
    this.state = CLOSED;
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
    this.handlers.onGone();
  }

  private send(message: ToHub) {
    this.port.postMessage(message);
  }
}

/** Connects to the shared worker that has the stream at `url`; null in a browser without shared workers. */
export function connectHub(url: string, onFailure: () => void): Port<ToHub, FromHub> | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    const worker = new SharedWorker(new URL("./hub-worker.ts", import.meta.url), {
      name: url,
      type: "module",
    });
    worker.onerror = onFailure;
    return worker.port as unknown as Port<ToHub, FromHub>;
  } catch {
    return null; // The browser forbids it, as some do in private windows.
  }
}
