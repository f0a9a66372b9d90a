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
