/** Episodes in the mean return, as the service counts them (docs/figures.md). */
export const MEAN_EPISODES = 100;

/** The mean of the newest 100 values, or of all while there are fewer. NaN while one of them is unknown. */
export class RecentMean {
  private newest: number[] = [];

  get size(): number {
    return this.newest.length;
  }

  push(value: number) {
    this.newest.push(value);
    if (this.newest.length > MEAN_EPISODES) this.newest.shift();
  }

  /** Takes in values that came before all that it has. */
  prepend(values: readonly number[]) {
    this.newest = [...values, ...this.newest].slice(-MEAN_EPISODES);
  }

  /** Added up from the oldest on, as the service does, so that both come to the same to the last digit. */
  get value(): number {
    return this.newest.reduce((sum, value) => sum + value, 0) / this.newest.length;
  }
}
