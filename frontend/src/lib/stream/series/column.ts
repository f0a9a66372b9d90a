import { halveOldest } from "./thin";

const INITIAL = 1024;

/**
 * Above this many points the oldest half is thinned, so that a run of a million episodes stays bounded and
 * a redraw short. This is more than a screen has pixels for, and a zoom fetches what was thinned away.
 */
export const CAPACITY = 16_384;

/** One metric: growable typed arrays of positions and values. A value the service sent as null is NaN, a gap. */
export class Column {
  x = new Float64Array(INITIAL);
  y = new Float64Array(INITIAL);
  /** How many points of the run each point stands for: itself, and its share of those that were thinned away. */
  spans = new Float64Array(INITIAL);
  length = 0;
  /** Points it stands for: those it holds and those that were thinned away, here or by the service. */
  count = 0;
  /** Grows with every point, so that a reader can tell whether it has seen all. */
  version = 0;

  constructor(private readonly capacity = CAPACITY) {}

  push(x: number, y: number | null, span = 1) {
    if (this.length === this.capacity) this.length = halveOldest(this, this.length);
    if (this.length === this.x.length) this.grow();
    this.x[this.length] = x;
    this.y[this.length] = y ?? Number.NaN;
    this.spans[this.length] = span;
    this.length += 1;
    this.count += span;
    this.version += 1;
  }

  /** Whether it holds fewer points than it stands for. */
  get isThinned(): boolean {
    return this.count > this.length;
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
    const grown = (values: Float64Array) => {
      const larger = new Float64Array(size);
      larger.set(values);
      return larger;
    };
    this.x = grown(this.x);
    this.y = grown(this.y);
    this.spans = grown(this.spans);
  }
}
