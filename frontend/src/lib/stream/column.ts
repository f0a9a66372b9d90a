import { halveOldest } from "./thin";

const INITIAL = 1024;

/** Above this many points the oldest half is thinned, so that a run of a million episodes stays bounded. */
export const CAPACITY = 200_000;

/** One metric: growable typed arrays of steps and values. A value the service sent as null is NaN, a gap. */
export class Column {
  x = new Float64Array(INITIAL);
  y = new Float64Array(INITIAL);
  length = 0;

  constructor(private readonly capacity = CAPACITY) {}

  push(x: number, y: number | null) {
    if (this.length === this.capacity) this.length = halveOldest(this.x, this.y, this.length);
    if (this.length === this.x.length) this.grow();
    this.x[this.length] = x;
    this.y[this.length] = y ?? Number.NaN;
    this.length += 1;
  }

  /** The newest value that is a number. */
  latest(): number | null {
    for (let i = this.length - 1; i >= 0; i -= 1) {
      const value = this.y[i];
      if (value !== undefined && !Number.isNaN(value)) return value;
    }
    return null;
  }

  private grow() {
    const size = Math.min(this.capacity, this.x.length * 2);
    const x = new Float64Array(size);
    const y = new Float64Array(size);
    x.set(this.x);
    y.set(this.y);
    this.x = x;
    this.y = y;
  }
}
