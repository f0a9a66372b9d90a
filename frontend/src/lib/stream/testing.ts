import { CLOSED, type Source } from "./connection/events";

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
