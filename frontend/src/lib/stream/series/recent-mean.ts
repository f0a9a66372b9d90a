/** Number of episodes in the mean return, as in the service (docs/figures.md). */
export const MEAN_EPISODES = 100;

/** Mean of the newest 100 values, or of all while there are fewer. NaN while one of them is unknown. */
export class RecentMean {
  private newest: number[] = [];

  get size(): number {
    return this.newest.length;
  }

  push(value: number) {
    this.newest.push(value);
    if (this.newest.length > MEAN_EPISODES) this.newest.shift();
  }

  /** Adds values that precede all others. */
  prepend(values: readonly number[]) {
    this.newest = [...values, ...this.newest].slice(-MEAN_EPISODES);
  }

  /** Summed from the oldest on, as the service does, so that both get the same floating-point result. */
  get value(): number {
    return this.newest.reduce((sum, value) => sum + value, 0) / this.newest.length;
  }
}
