import type { Timers } from "../time";

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
