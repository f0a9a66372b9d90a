import type { Failure, Knob } from "../guide";

const REWARD = "rollout/ep_rew_mean";

/** Failure modes that every algorithm has. */
export const failures = {
  plateau: {
    id: "reward-plateau",
    title: "The return stops rising below the threshold",
    curve: "flat",
    metric: REWARD,
    see: "The return rises, then stays at one level below the threshold for a third of training or more.",
    why: "The policy has settled on a mediocre behaviour and explores too little to find a better one.",
    try: "First more exploration, then a higher γ if the reward comes late, then try another seed, because results vary between seeds.",
  },
  tooShort: {
    id: "too-few-timesteps",
    title: "Training ended while the agent was still learning",
    curve: "rising",
    metric: REWARD,
    see: "The return is still rising in the last tenth of training.",
    why: "The run had too few timesteps for this environment, or too low a learning rate for this number of timesteps.",
    try: "Duplicate the run with twice the timesteps. A linear learning-rate schedule then also falls more slowly.",
  },
  forgetting: {
    id: "reward-collapsed",
    title: "The return rose, then collapsed",
    curve: "fallback",
    metric: REWARD,
    see: "The return peaks, then loses more than half of its gain, often within a few updates.",
    why: "An update changed the policy too much. The worse policy then collects worse data.",
    try: "A lower or falling learning rate. Evaluate during training, so that the app keeps the best policy, and use that policy.",
  },
  flat: {
    id: "reward-flat",
    title: "The return never moves",
    curve: "high",
    metric: REWARD,
    see: "From the first episode to the last, the return stays at the level of a random policy.",
    why: "Rewards are too rare to be found by chance, or the learning rate is far too low or far too high.",
    try: "More exploration and more timesteps. Then try a learning rate three times as high, and one a third as high.",
  },
  unstable: {
    id: "unstable",
    title: "The return fluctuates and never settles",
    curve: "noise",
    metric: REWARD,
    see: "High and low returns alternate to the end of training, with no trend.",
    why: "Updates change the policy too much: each one undoes what the previous one learned.",
    try: "A lower learning rate, or one that falls to zero; larger batches; the preset Stable.",
  },
  farmed: {
    id: "component-farmed",
    title: "One component of the reward is farmed",
    curve: "rising",
    metric: REWARD,
    see: "The return rises, but one component of the reward brings most of it, and the agent gets no better at its task.",
    why: "It is easier to earn a reward on the way, or a bonus, again and again than to finish the task.",
    try: "Lower the weight of the component, cap it, or reward it only the first time. Then a larger reward for the task itself.",
  },
  stuck: {
    id: "stuck-in-a-cell",
    title: "The agent stays where it begins",
    curve: "still",
    metric: "explored/cells",
    see: "In the second half of training, nine of ten episodes visit at most two cells of the map, though they last long enough to visit more.",
    why: "Random actions hardly ever get past the first cell: a dialogue, a closed door or a wall holds the agent. Or it was punished for leaving, and has learned to stay.",
    try: "Watch an episode, or play one, to see what holds the agent. Then reward new cells (coverage), begin episodes in an archive, or let the policy act more randomly.",
  },
  explored: {
    id: "exploration-ended",
    title: "Exploration has ended",
    curve: "flat",
    metric: "explored/total_cells",
    see: "The last third of training finds no new cell, although some are unknown, and the return does not grow.",
    why: "The policy has become certain of the cells that it knows, and the way to the next one earns nothing until it is reached. Or a single action that it never tries opens the way.",
    try: "Reward new cells (coverage) or new observations (novelty), or begin episodes in cells that were seldom visited (archive). The map shows where the agent turns back.",
  },
} as const satisfies Record<string, Failure>;

/** Failure modes of algorithms with an entropy bonus and a value network. */
export const entropyCollapsed: Failure = {
  id: "entropy-collapsed",
  title: "Entropy collapses early",
  curve: "collapse",
  metric: "train/entropy_loss",
  see: "Entropy falls almost to zero in the first half of training, and the return stops improving.",
  why: "The policy became almost deterministic too early, so it rarely tries other actions.",
  try: "An ent_coef of 0.01, a lower learning rate, or more environments for more varied data.",
};

export const valueLags: Failure = {
  id: "explained-variance-low",
  title: "The value network does not predict the returns",
  curve: "noise",
  metric: "train/explained_variance",
  see: "Explained variance stays near or below 0; a good value function reaches values near 1.",
  why: "Returns vary too much, or the network learns too slowly. The advantages are then mostly noise.",
  try: "Longer rollouts, gae_lambda 0.9, or a larger network. Check that γ suits the length of the episodes.",
};

/** Failure mode of algorithms that can learn games of the user. */
export const stillTap: Failure = {
  id: "tap-never-changes",
  title: "A tap of your own game never changes",
  curve: "still",
  metric: "taps/…",
  see: "In every episode, a variable that game.toml reads from memory has the same value from the first step to the last.",
  why: "The address or the type in game.toml is wrong, or of another version of the game. Or the agent never gets to where the game changes the value. A reward or an end of the episode that depends on it then never happens.",
  try: "Play the game by hand and watch the value. If it does not change, correct the address and the type. If it does, only the agent has to come further: see “Exploration has ended”.",
};

/** Failure mode of algorithms that bootstrap from their own estimates. */
export const divergingLoss: Failure = {
  id: "loss-diverging",
  title: "The loss diverges",
  curve: "diverge",
  metric: "train/loss",
  see: "The loss grows by orders of magnitude and does not recover, while the return falls.",
  why: "The targets are computed from the network's own overestimated values, so the errors grow.",
  try: "A lower learning rate, a target network that changes more slowly (longer target_update_interval or smaller tau), or a larger batch.",
};

export const stillExploring: Failure = {
  id: "epsilon-high",
  title: "Many random actions at the end of training",
  curve: "high",
  metric: "rollout/exploration_rate",
  see: "When training ends, ε is well above its final value, or the final value is above 0.1.",
  why: "The ε schedule depends on the planned number of steps. A run that was stopped early did not reach the end of the schedule.",
  try: "A smaller exploration_fraction or exploration_final_eps. Evaluate the run: the greedy policy may be far better than the training curve.",
};

/** Hyperparameters that several algorithms share. */
export const knobs = {
  learningRate: {
    name: "learning_rate",
    does: "Size of each gradient step. “→ 0” means that the learning rate falls linearly to zero during training.",
    more: "faster learning; if too high, the return fluctuates or collapses.",
    less: "more stable; if too low, training ends before the agent has learned.",
  },
  gamma: {
    name: "gamma",
    does: "Discount factor: the weight of a reward one step later. The horizon is about 1 ÷ (1 − γ) steps.",
    more: "takes later rewards into account; estimates are noisier.",
    less: "learns short tasks faster, but ignores late rewards.",
  },
  environments: {
    name: "n_envs",
    does: "Number of environments that run in parallel.",
    more: "more varied data at once, fewer updates for the same steps.",
    less: "more updates from narrower data.",
  },
  rolloutSteps: {
    name: "n_steps",
    does: "Steps in each environment before an update.",
    more: "better estimates, but fewer updates.",
    less: "more updates, with noisier estimates.",
  },
  returnSteps: {
    name: "n_steps",
    does: "Number of steps whose rewards a target sums before it adds the target network's estimate (n-step return).",
    more: "late rewards spread faster to the actions that led to them; targets contain actions of older policies, which makes them less accurate.",
    less: "targets do not depend on the actions of older policies; late rewards spread one step at a time.",
  },
  gaeLambda: {
    name: "gae_lambda",
    does: "How much the advantage relies on observed rewards instead of the value network's estimate.",
    more: "less bias, more variance.",
    less: "less variance, but more errors of the value network.",
  },
  entropyWeight: {
    name: "ent_coef",
    does: "Weight of the entropy bonus, which keeps the policy exploring.",
    more: "explores longer; if too high, the policy stays random.",
    less: "becomes deterministic sooner, possibly before it has found a good action.",
  },
  batchSize: {
    name: "batch_size",
    does: "Transitions per gradient step.",
    more: "less noisy gradients; each step takes longer.",
    less: "noisier gradients; each step is faster.",
  },
  bufferSize: {
    name: "buffer_size",
    does: "Maximum number of transitions in the replay buffer. When it is full, the oldest are overwritten.",
    more: "keeps rare and early experience; takes more memory.",
    less: "newer data; transitions from past failures are lost sooner.",
  },
  learningStarts: {
    name: "learning_starts",
    does: "Random steps collected before the first gradient step.",
    more: "more varied initial data; learning starts later.",
    less: "learning starts sooner, from a few similar transitions.",
  },
  trainFreq: {
    name: "train_freq",
    does: "Steps of each environment between update rounds.",
    more: "less computing time, fewer updates.",
    less: "more updates; new experience is used sooner.",
  },
  gradientSteps: {
    name: "gradient_steps",
    does: "Gradient steps per update round. −1: as many as environment steps since the last round.",
    more: "uses each environment step more; may overfit to the replay buffer.",
    less: "less computing time and less overfitting, but needs more environment steps.",
  },
  tau: {
    name: "tau",
    does: "Mixing rate: how much of the network's weights is blended into the target network at each update.",
    more: "the target changes faster, which can make training unstable.",
    less: "a more stable target; slower learning.",
  },
  targetUpdateInterval: {
    name: "target_update_interval",
    does: "Environment steps between two copies of the network into the target network.",
    more: "a more stable target; slower learning.",
    less: "values spread faster, but may diverge.",
  },
  explorationFraction: {
    name: "exploration_fraction",
    does: "Share of training during which ε falls.",
    more: "explores longer; takes longer to act greedily.",
    less: "acts greedily sooner, with less experience.",
  },
  finalEpsilon: {
    name: "exploration_final_eps",
    does: "Share of random actions at the end of training.",
    more: "keeps exploring; training returns are lower than those of the greedy policy.",
    less: "training returns are closer to those of the greedy policy, but the agent explores less.",
  },
} as const satisfies Record<string, Knob>;
