import type { Knob } from "../../guide/guide";

/** Hyperparameters that several algorithms share. */
export const knobs = {
  learningRate: {
    name: "learning_rate",
    does: "How far each gradient step moves the networks. “→ 0” falls linearly to zero over training.",
    more: "faster, until updates overshoot and the return swings or collapses.",
    less: "steadier; too little, and the budget ends before it has learned.",
  },
  gamma: {
    name: "gamma",
    does: "What a reward one step later is worth now. 1 ÷ (1 − γ) is about how many steps ahead it looks.",
    more: "sees later rewards, with noisier estimates.",
    less: "learns short tasks sooner; blind to what comes late.",
  },
  environments: {
    name: "n_envs",
    does: "Environments stepped side by side.",
    more: "more varied data at once, fewer updates for the same steps.",
    less: "more updates from narrower data.",
  },
  rolloutSteps: {
    name: "n_steps",
    does: "Steps in each environment before an update.",
    more: "better estimates, rarer updates.",
    less: "frequent updates on noisier estimates.",
  },
  returnSteps: {
    name: "n_steps",
    does: "Steps whose rewards a target sums before it adds the target network's estimate: an n-step return.",
    more: "a late reward reaches what led to it sooner; targets rest on what older policies did next.",
    less: "targets depend on no older policy, and late rewards spread one step at a time.",
  },
  gaeLambda: {
    name: "gae_lambda",
    does: "How much the advantage trusts real rewards over the value network's guess.",
    more: "less bias, more noise.",
    less: "smoother, but repeats the value network's errors.",
  },
  entropyWeight: {
    name: "ent_coef",
    does: "A bonus for staying random, which keeps the policy exploring.",
    more: "explores longer; too much, and it never commits.",
    less: "commits sooner, perhaps to the wrong habit.",
  },
  batchSize: {
    name: "batch_size",
    does: "Transitions behind each gradient step.",
    more: "smoother gradients, more time each.",
    less: "cheaper and noisier steps.",
  },
  bufferSize: {
    name: "buffer_size",
    does: "Transitions the replay buffer holds; then the oldest give way.",
    more: "remembers rare and early experience; takes memory.",
    less: "fresher data; may forget how it once failed.",
  },
  learningStarts: {
    name: "learning_starts",
    does: "Random steps collected before the first gradient step.",
    more: "a broader start; a later one.",
    less: "learns at once, from a handful of similar transitions.",
  },
  trainFreq: {
    name: "train_freq",
    does: "Environment steps between rounds of learning.",
    more: "quicker by the clock, fewer updates.",
    less: "updates more often, sees each change sooner.",
  },
  gradientSteps: {
    name: "gradient_steps",
    does: "Gradient steps in each round; −1 takes as many as there were environment steps.",
    more: "squeezes more out of each step; overfits to the buffer.",
    less: "safer and quicker; needs more environment steps.",
  },
  tau: {
    name: "tau",
    does: "Share of the network that is copied into its slow target each time.",
    more: "the target follows sooner; it chases itself.",
    less: "a calmer target; slower learning.",
  },
  targetUpdateInterval: {
    name: "target_update_interval",
    does: "Environment steps between copies into the target network.",
    more: "a calmer target; slower learning.",
    less: "values spread sooner, and may run away.",
  },
  explorationFraction: {
    name: "exploration_fraction",
    does: "Share of training over which ε falls.",
    more: "explores longer; good habits come later.",
    less: "exploits sooner what little it has seen.",
  },
  finalEpsilon: {
    name: "exploration_final_eps",
    does: "Share of random actions that stays to the end.",
    more: "keeps finding things; training returns stay lower than what the policy can do.",
    less: "training shows the policy itself; no more discoveries.",
  },
} as const satisfies Record<string, Knob>;
