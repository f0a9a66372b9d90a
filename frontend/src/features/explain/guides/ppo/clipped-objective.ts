export interface Sample {
  /** Probability ratio π(a|s) ÷ π_old(a|s). */
  ratio: number;
  /** The advantage: how much better the action was than expected. */
  advantage: number;
  /** ε, PPO's `clip_range`. */
  clip: number;
}

export type Pull = "up" | "down" | "none" | "clipped";

export interface Clipped {
  /** min(r·A, clip(r, 1−ε, 1+ε)·A): Schulman et al. (2017), equation 7. */
  value: number;
  /** r·A, without the clip. */
  unclipped: number;
  /** Derivative of `value` with respect to the ratio: the sample's part in the gradient. */
  slope: number;
  /** Whether the sample raises or lowers the action's probability. */
  pull: Pull;
  /**
   * Whether the ratio lies outside 1 ± ε. Such samples count in `train/clip_fraction`, with or without a
   * gradient.
   */
  outside: boolean;
}

export function clippedObjective({ ratio, advantage, clip }: Sample): Clipped {
  const unclipped = ratio * advantage;
  const held = Math.min(Math.max(ratio, 1 - clip), 1 + clip) * advantage;
  const flat = held < unclipped;
  const slope = flat ? 0 : advantage;
  const pull = flat ? "clipped" : advantage > 0 ? "up" : advantage < 0 ? "down" : "none";
  return {
    value: Math.min(unclipped, held),
    unclipped,
    slope,
    pull,
    outside: Math.abs(ratio - 1) > clip,
  };
}
