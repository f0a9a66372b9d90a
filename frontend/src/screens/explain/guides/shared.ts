import type { Failure, Knob } from "../guide";

const REWARD = "rollout/ep_rew_mean";

/** Failure modes that every algorithm has. */
export const failures = {
  plateau: {
    id: "reward-plateau",
    title: "The return stands still, too low",
    curve: "flat",
    metric: REWARD,
    see: "It climbs, then stays on one level for a third of training or more, below the threshold.",
    why: "The policy has settled on a habit that pays a little, and explores too little to find a better one.",
    try: "More exploration first; then a higher γ if the reward comes late, then another seed: one may be lucky.",
  },
  tooShort: {
    id: "too-few-timesteps",
    title: "Training ended while it still learned",
    curve: "rising",
    metric: REWARD,
    see: "The return is still rising in the last tenth of training.",
    why: "The budget was too small for this environment, or the learning rate too small for the budget.",
    try: "Duplicate the run with twice the timesteps. A rate that falls to zero then falls more slowly, too.",
  },
  forgetting: {
    id: "reward-collapsed",
    title: "It had learned, then lost it",
    curve: "fallback",
    metric: REWARD,
    see: "The return peaks and loses more than half of what it had gained, often within a few updates.",
    why: "An update went too far from what the data supported; the worse policy then collects worse data.",
    try: "A lower or falling learning rate. Keep the best policy by evaluating while it trains, and play that one.",
  },
  flat: {
    id: "reward-flat",
    title: "The return never moves",
    curve: "high",
    metric: REWARD,
    see: "From the first episode to the last, the return stays where a random policy has it.",
    why: "Rewards are too rare to be found by chance, or the learning rate moves nothing, or far too much.",
    try: "More exploration and more timesteps; then a learning rate three times larger, and three times smaller.",
  },
  unstable: {
    id: "unstable",
    title: "The return swings and never settles",
    curve: "noise",
    metric: REWARD,
    see: "Good and bad stretches follow each other to the end, with no trend.",
    why: "Updates are larger than what the data supports: each undoes what the last one learned.",
    try: "A lower learning rate, or one that falls to zero; larger batches; the preset Stable.",
  },
} as const satisfies Record<string, Failure>;

/** Failure modes of algorithms with an entropy bonus and a value network. */
export const entropyCollapsed: Failure = {
  id: "entropy-collapsed",
  title: "Entropy collapses early",
  curve: "collapse",
  metric: "train/entropy_loss",
  see: "Entropy falls near zero in the first half of training, and the return stops improving.",
  why: "The policy became sure before it had seen enough: it hardly tries anything else now.",
  try: "ent_coef 0.01, a lower learning rate, more environments for broader data.",
};

export const valueLags: Failure = {
  id: "explained-variance-low",
  title: "The value network explains nothing",
  curve: "noise",
  metric: "train/explained_variance",
  see: "Explained variance stays near or below 0, where a good one nears 1.",
  why: "Advantages are then noise: returns vary too much, or the network learns too slowly.",
  try: "Longer rollouts, gae_lambda 0.9, a larger network; check that γ suits the length of episodes.",
};

/** Failure mode of algorithms that bootstrap from their own estimates. */
export const divergingLoss: Failure = {
  id: "loss-diverging",
  title: "The loss runs away",
  curve: "diverge",
  metric: "train/loss",
  see: "The loss grows by orders of magnitude and does not come back, while the return falls.",
  why: "The values learn from their own too large estimates: the target moves with what chases it.",
  try: "A lower learning rate, a slower target (longer target_update_interval or smaller tau), a larger batch.",
};

export const stillExploring: Failure = {
  id: "epsilon-high",
  title: "Still acting at random at the end",
  curve: "high",
  metric: "rollout/exploration_rate",
  see: "ε is well above its final value, or that value is above 0.1, when training ends.",
  why: "The schedule follows the share of timesteps: a run that was stopped early never reached its end.",
  try: "A smaller exploration_fraction or exploration_final_eps. Evaluate: the greedy policy may be far better than the curve.",
};

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
