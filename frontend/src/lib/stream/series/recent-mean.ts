/** Mean of the newest `window` values, or of all while there are fewer. NaN while one of them is unknown. */
export class RecentMean {
  private newest: number[] = [];

  constructor(private readonly window: number) {}

  get size(): number {
    return this.newest.length;
  }

  get isFull(): boolean {
    return this.newest.length === this.window;
  }

  push(value: number) {
    this.newest.push(value);
    if (this.newest.length > this.window) this.newest.shift();
  }

  /** Adds values that precede all others. */
  prepend(values: readonly number[]) {
    this.newest = [...values, ...this.newest].slice(-this.window);
  }

  /** Summed from the oldest on, as the service does, so that both get the same floating-point result. */
  get value(): number {
    return this.newest.reduce((sum, value) => sum + value, 0) / this.newest.length;
  }
}
