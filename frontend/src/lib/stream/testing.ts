import { CLOSED, type Source, type Timers } from "./connection/events";

/** An event source that a test opens, fills and breaks by hand. */
export class FakeSource implements Source {
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  private readonly listeners = new Map<string, (event: MessageEvent<string>) => void>();

  constructor(readonly url: string) {}

  get query(): URLSearchParams {
    return new URL(this.url, "http://localhost").searchParams;
  }

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void) {
    this.listeners.set(type, listener);
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

  emit(type: string, data: unknown, lastEventId = "") {
    const event = new MessageEvent(type, { data: JSON.stringify(data), lastEventId });
    this.listeners.get(type)?.(event as MessageEvent<string>);
  }
}

/** Timers that run when the test says so. */
export class FakeTimers implements Timers {
  now = 0;
  private next = 1;
  private readonly due = new Map<number, { at: number; callback: () => void }>();

  set(callback: () => void, ms: number): number {
    this.due.set(this.next, { at: this.now + ms, callback });
    return this.next++;
  }

  clear(id: number) {
    this.due.delete(id);
  }

  advance(ms: number) {
    this.now += ms;
    for (const [id, { at, callback }] of [...this.due]) {
      if (at > this.now || !this.due.delete(id)) continue;
      callback();
    }
  }
}
