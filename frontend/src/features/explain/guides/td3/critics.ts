import { linspace } from "@/charts/figure-scale";

export interface Critics {
  /** Magnitude of the critics' errors. */
  error: number;
  /** Standard deviation of the noise on the target's action, `target_policy_noise`. */
  noise: number;
  /** Largest absolute noise, `target_noise_clip`. */
  clip: number;
}

export const ACTIONS = linspace(-1, 1, 160);

/** The true Q-value of actions from -1 to 1. */
export function truth(action: number): number {
  return 0.75 * Math.exp(-((action - 0.15) ** 2) / 0.5);
}

/** Two critics with independent errors; fixed ripples stand in for approximation errors of networks. */
export const critics = [
  (action: number, error: number) =>
    truth(action) + error * (0.6 * Math.sin(9 * action + 1) + 0.4 * Math.sin(23 * action)),
  (action: number, error: number) =>
    truth(action) + error * (0.6 * Math.sin(11 * action + 4) + 0.4 * Math.sin(19 * action + 2)),
] as const;

/** The minimum of both critics (Fujimoto et al., 2018, equation 10). */
export function lower(action: number, { error }: Critics): number {
  return Math.min(...critics.map((critic) => critic(action, error)));
}

/**
 * `value` averaged over clipped noise around each action: the target that TD3's target policy smoothing
 * produces.
 */
export function smoothed(value: (action: number) => number, { noise, clip }: Critics) {
  if (noise === 0) return value;
  const offsets = linspace(-3 * noise, 3 * noise, 24);
  const weights = offsets.map((offset) => Math.exp(-((offset / noise) ** 2) / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (action: number) =>
    offsets.reduce((sum, offset, i) => {
      const held = Math.min(Math.max(offset, -clip), clip);
      const there = Math.min(Math.max(action + held, -1), 1);
      return sum + value(there) * (weights[i] ?? 0);
    }, 0) / total;
}

export interface Choice {
  action: number;
  /** The critic's estimate for the action. */
  promised: number;
  /** The estimate minus the true value. */
  optimism: number;
}

/** The action that maximises `value`, and by how much the estimate of it is too high. */
export function choice(value: (action: number) => number): Choice {
  let action = 0;
  let promised = -Infinity;
  for (const candidate of ACTIONS) {
    const worth = value(candidate);
    if (worth > promised) [action, promised] = [candidate, worth];
  }
  return { action, promised, optimism: promised - truth(action) };
}
