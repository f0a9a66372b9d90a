export interface Sample {
  /** New over old probability of the action, π(a|s) ÷ π_old(a|s). */
  ratio: number;
  /** How much better the action turned out than expected. */
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
  /** Slope of `value` in the ratio: what one sample adds to the gradient. */
  slope: number;
  /** Which way the sample moves the action's probability. */
  pull: Pull;
  /** Outside 1 ± ε: counted in `train/clip_fraction`, whether or not it still pulls. */
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
