/** When one worker trained a run; `ended_at` is null while it trains. */
export interface AttemptTimes {
  started_at: string;
  ended_at: string | null;
}

interface Stretch {
  start: number;
  end: number;
  /** Seconds trained before it. */
  before: number;
}

/**
 * Seconds of training at a time of day, over all attempts of a run: the pauses between them take none. The service
 * counts in the same way. Without any attempt the clock starts with the first time that it is asked for.
 */
export class TrainingClock {
  private readonly stretches: Stretch[] = [];
  private origin: number | null = null;

  constructor(attempts: readonly AttemptTimes[]) {
    let [before, after] = [0, -Infinity];
    for (const { started_at, ended_at } of attempts) {
      const start = Math.max(unix(started_at), after);
      const end = ended_at === null ? Infinity : Math.max(start, unix(ended_at));
      this.stretches.push({ start, end, before });
      before += end - start;
      after = end;
    }
  }

  /** `time` in Unix seconds. */
  at(time: number): number {
    const last = this.stretches.findLast(({ start }) => start <= time);
    if (last) return last.before + Math.min(time, last.end) - last.start;
    if (this.stretches.length > 0) return 0;
    this.origin ??= time;
    return Math.max(0, time - this.origin);
  }
}

function unix(time: string): number {
  return Date.parse(time) / 1000;
}
