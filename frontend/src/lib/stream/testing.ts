import { CLOSED, type Source, type SourceMessage } from "./connection/events";

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
