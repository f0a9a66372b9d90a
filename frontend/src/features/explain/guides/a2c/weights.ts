export interface Estimate {
  gamma: number;
  lambda: number;
  /** Steps of a rollout: what lies beyond is left to the value network. */
  steps: number;
}

/** Weight (γλ)^k of the surprise k steps ahead in the advantage (Schulman et al., 2016, equation 16). */
export function weights({ gamma, lambda }: Estimate, count: number): number[] {
  return Array.from({ length: count }, (_, k) => (gamma * lambda) ** k);
}

/** Share of all the weight there would be that a rollout of `steps` reaches. */
export function reached({ gamma, lambda, steps }: Estimate): number {
  return 1 - (gamma * lambda) ** steps;
}

/** Steps that count: the weights' sum within the rollout. */
export function horizon(estimate: Estimate): number {
  return weights(estimate, estimate.steps).reduce((sum, weight) => sum + weight, 0);
}
