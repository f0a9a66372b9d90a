/** An example Q-value over actions from -1 to 1 with two peaks: one high and narrow, one lower and broad. */
export function actionValue(action: number): number {
  return bump(action, -0.45, 0.32, 0.8) + bump(action, 0.5, 0.14, 1);
}

function bump(action: number, at: number, width: number, height: number): number {
  return height * Math.exp(-((action - at) ** 2) / (2 * width ** 2));
}

export interface SoftPolicy {
  /** Density at each of the given actions. */
  density: number[];
  /** Entropy in nats; it may be negative, as it is of a density. */
  entropy: number;
  /** Expected Q-value. */
  value: number;
}

/**
 * The best policy when randomness is worth `alpha` a nat: density ∝ exp(Q/α) (Haarnoja et al., 2018, equation 4),
 * by the trapezoid rule over evenly spaced actions.
 */
export function softPolicy(actions: readonly number[], alpha: number): SoftPolicy {
  const values = actions.map(actionValue);
  const top = Math.max(...values);
  const weights = values.map((value) => Math.exp((value - top) / alpha));
  const total = integrate(actions, weights);
  const density = weights.map((weight) => weight / total);
  return {
    density,
    entropy: -integrate(
      actions,
      density.map((p) => (p > 0 ? p * Math.log(p) : 0)),
    ),
    value: integrate(
      actions,
      density.map((p, i) => p * (values[i] ?? 0)),
    ),
  };
}

/** Probability that the action lies between two bounds. */
export function massBetween(
  actions: readonly number[],
  density: readonly number[],
  low: number,
  high: number,
): number {
  return integrate(
    actions,
    density.map((p, i) => ((actions[i] ?? 0) >= low && (actions[i] ?? 0) <= high ? p : 0)),
  );
}

function integrate(x: readonly number[], y: readonly number[]): number {
  const step = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / (x.length - 1);
  return (
    step * y.reduce((sum, value, i) => sum + (i === 0 || i === y.length - 1 ? value / 2 : value), 0)
  );
}
