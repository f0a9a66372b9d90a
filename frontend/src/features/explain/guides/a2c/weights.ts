export interface Estimate {
  gamma: number;
  lambda: number;
  /** Steps of a rollout; the rewards after them are estimated by the value network. */
  steps: number;
}

/** Weight (γλ)^k of the TD error k steps ahead in the advantage estimate (Schulman et al., 2016, equation 16). */
export function weights({ gamma, lambda }: Estimate, count: number): number[] {
  return Array.from({ length: count }, (_, k) => (gamma * lambda) ** k);
}

/** Share of the infinite sum of weights that lies within a rollout of `steps`. */
export function reached({ gamma, lambda, steps }: Estimate): number {
  return 1 - (gamma * lambda) ** steps;
}

/** Effective number of steps: the sum of the weights within the rollout. */
export function horizon(estimate: Estimate): number {
  return weights(estimate, estimate.steps).reduce((sum, weight) => sum + weight, 0);
}
