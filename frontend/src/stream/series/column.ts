import type { MetricCurve } from "@/api/types";
import { halveOldest } from "./thin";

const INITIAL = 1024;

/**
 * Above this many points the oldest half is thinned, so that a run of a million episodes stays bounded and
 * a redraw short. This is more than a screen has pixels for, and a zoom fetches what was thinned away.
 */
const CAPACITY = 16_384;

/** One metric: growable typed arrays of positions and values. A value the service sent as null is NaN, a gap. */
export class Column {
  x = new Float64Array(INITIAL);
  y = new Float64Array(INITIAL);
  /** Number of points of the run that each point stands for: itself and its share of those thinned away. */
  spans = new Float64Array(INITIAL);
  /** The moving average at each point, with the column's current smoothing. */
  smoothed = new Float64Array(INITIAL);
  length = 0;
  /** Number of points it stands for: those held, and those thinned away here or by the service. */
  count = 0;
  /** Increases with every point, so that a reader can tell whether it has seen all. */
  version = 0;

  private average: MovingAverage;
  private readonly capacity: number;
  /** Whether the average was computed from thinned points. */
  private isApproximate = false;

  constructor({ smoothing = 0, capacity = CAPACITY } = {}) {
    this.average = new MovingAverage(smoothing);
    this.capacity = capacity;
  }

  /** A column from a response. `smoothing` is what was requested. */
  static of({ x, y, count, smoothed }: MetricCurve, smoothing: number): Column {
    const column = new Column({ smoothing });
    const span = Math.max(1, count / x.length);
    x.forEach((position, i) => column.push(position, y[i] ?? null, span));
    column.count = Math.max(count, column.length);
    if (smoothed) {
      smoothed.y.forEach((value, i) => (column.smoothed[i] = value ?? Number.NaN));
      column.average = new MovingAverage(smoothing, smoothed.mean ?? 0, smoothed.weight);
    } else column.isApproximate = column.isThinned;
    return column;
  }

  push(x: number, y: number | null, span = 1) {
    if (this.length === this.capacity) this.length = halveOldest(this, this.length);
    if (this.length === this.x.length) this.grow();
    this.x[this.length] = x;
    this.y[this.length] = y ?? Number.NaN;
    this.spans[this.length] = span;
    this.smoothed[this.length] = this.average.next(y ?? Number.NaN, span);
    this.length += 1;
    this.count += span;
    this.version += 1;
  }

  /** Whether it holds fewer points than it represents. */
  get isThinned(): boolean {
    return this.count > this.length;
  }

  /** Computes the average again. With thinned points it is an approximation; only the service has all of them. */
  smooth(smoothing: number) {
    if (smoothing === this.average.smoothing) return;
    this.average = new MovingAverage(smoothing);
    for (let i = 0; i < this.length; i += 1)
      this.smoothed[i] = this.average.next(this.y[i]!, this.spans[i]);
    this.isApproximate = this.isThinned;
    this.version += 1;
  }

  /** Whether the average is over every point of the run. */
  get isSmoothedExactly(): boolean {
    return this.average.smoothing === 0 || !this.isApproximate;
  }

  /** The newest value that is not NaN; null if there is none. */
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
    this.smoothed = grown(this.smoothed);
  }
}

/**
 * Exponential moving average, debiased, over the points of a run (an episode, an update):
 *
 *     a_t = (Σ_{i≤t} s^(t−i) · y_i) / (Σ_{i≤t} s^(t−i)),   s = smoothing
 *
 * Each point counts the same and all points before count, so that a value depends neither on the zoom nor on the axis.
 * Dividing by the weights takes out a plain average's lag towards its first value. The service computes the same for the
 * points that it leaves out (`exponential_average` in `rlviz/stats/returns.py`), and tells what is needed to go on.
 */
export class MovingAverage {
  private sum: number;

  /** `mean` and `weight` of the points so far. */
  constructor(
    readonly smoothing: number,
    mean = 0,
    private weight = 0,
  ) {
    this.sum = mean * weight;
  }

  /**
   * The average at the next point. `span`: number of points of the run that it stands for. NaN (a gap) gives
   * NaN.
   */
  next(value: number, span = 1): number {
    if (this.smoothing === 0 || Number.isNaN(value)) return value;
    const kept = span === 1 ? this.smoothing : this.smoothing ** span;
    this.sum = this.sum * kept + value * (1 - kept);
    this.weight = this.weight * kept + (1 - kept);
    return this.sum / this.weight;
  }
}
