import type { ReadonlyColumn } from "./model";

/**
 * Exponential moving average, debiased, over the points of a run (an episode, an update):
 *
 *     y'_t = (Σ_{i≤t} w^(t−i) · y_i) / (Σ_{i≤t} w^(t−i)),   w = smoothing
 *
 * Each point counts the same and all points before count, so that a value depends neither on the zoom nor on the axis.
 * Dividing by the weights takes out a plain EMA's lag towards its first value. Of a thinned curve a point counts as
 * often as the points that it stands for. With `smoothing` 0 it is `y` itself; NaN in `y` is a gap, and NaN there.
 */
export function ema(
  { y, spans, length }: Pick<ReadonlyColumn, "y" | "spans" | "length">,
  smoothing: number,
): Float64Array {
  const smoothed = y.slice(0, length);
  if (smoothing <= 0) return smoothed;
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < length; i += 1) {
    const value = y[i]!;
    if (Number.isNaN(value)) continue;
    const kept = smoothing ** spans[i]!;
    sum = sum * kept + value * (1 - kept);
    weight = weight * kept + (1 - kept);
    smoothed[i] = sum / weight;
  }
  return smoothed;
}

/** How a smoothed line is named on screen. */
export function smoothingLabel(smoothing: number): string {
  return smoothing > 0 ? `EMA ${smoothing.toFixed(2)}` : "no smoothing";
}
