/** The range of the axis counts as this many units of distance, whatever it measures. */
const VIEWPORT_SCALE = 1000;
const LONGEST_MEMORY = 0.999;

/**
 * Time-weighted exponential moving average, debiased, of `y` at `x` for indices in `[from, to)`:
 *
 *     y'_t = (Σ_{i≤t} w^(d_t − d_i) · y_i) / (Σ_{i≤t} w^(d_t − d_i)),   d = 1000 · x / range,   w = min(√smoothing, 0.999)
 *
 * The further back a point lies along the axis, relative to what is on screen (`range`), the less it weighs;
 * so the curve does not depend on how densely a stretch was logged, and a plain EMA's lag towards its first
 * value is divided out. After Weights & Biases, "Time weighted exponential moving average"
 * (https://docs.wandb.ai/models/app/features/panels/line-plot/smoothing). With `smoothing` 0 it is `y` itself.
 *
 * `x` must not decrease. NaN in `y` is a gap: NaN there, and no weight after. Answers with `to − from` values.
 */
export function timeWeightedEma(
  x: Float64Array,
  y: Float64Array,
  [from, to]: readonly [number, number],
  smoothing: number,
  range: number,
): Float64Array {
  const smoothed = y.slice(from, to);
  if (smoothing <= 0 || range <= 0) return smoothed;
  const decay = (Math.log(Math.min(Math.sqrt(smoothing), LONGEST_MEMORY)) * VIEWPORT_SCALE) / range;
  let sum = 0;
  let weight = 0;
  let last = x[from] ?? 0;
  for (let i = from; i < to; i += 1) {
    const value = y[i]!;
    if (Number.isNaN(value)) continue;
    const kept = Math.exp(decay * (x[i]! - last));
    last = x[i]!;
    sum = sum * kept + value;
    weight = weight * kept + 1;
    smoothed[i - from] = sum / weight;
  }
  return smoothed;
}

/** How a smoothed line is named on screen. */
export function smoothingLabel(smoothing: number): string {
  return smoothing > 0 ? `EMA ${smoothing.toFixed(2)}` : "no smoothing";
}
