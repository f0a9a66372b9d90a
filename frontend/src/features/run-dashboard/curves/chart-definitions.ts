import type { ChartSource, ChartSpec } from "@/components/charts";

interface ChartDefinition {
  title: string;
  /** What it means, in a sentence, and what is usual. */
  help: string;
  negate?: boolean;
}

/** Metrics worth a chart of their own, in the order in which they are read. */
const DEFINITIONS: Record<string, ChartDefinition> = {
  "rollout/exploration_rate": {
    title: "Epsilon",
    help: "Share of actions taken at random. It falls from its first to its last value over the exploration fraction.",
  },
  "train/entropy_loss": {
    title: "Entropy",
    help: "How undecided the policy is between its actions; it falls as the policy makes up its mind. Logged as its negative, train/entropy_loss.",
    negate: true,
  },
  "train/approx_kl": {
    title: "Approximate KL",
    help: "How far one update moved the policy. PPO is at ease below about 0.02; spikes mean steps that are too large.",
  },
  "train/kl_divergence_loss": {
    title: "KL divergence",
    help: "How far one update moved the policy; TRPO keeps it below its target_kl.",
  },
  "train/clip_fraction": {
    title: "Clip fraction",
    help: "Share of samples whose probability ratio was clipped. Near 0 the clip does nothing; above about 0.3 updates are large.",
  },
  "train/explained_variance": {
    title: "Explained variance",
    help: "How well the value function foretells returns: 1 is perfect, 0 no better than their mean, below 0 worse.",
  },
  "train/value_loss": {
    title: "Value loss",
    help: "Squared error of the value function. It grows with the returns themselves; what matters is that it does not run away.",
  },
  "train/loss": {
    title: "Loss",
    help: "What an update minimises. For value-based learners the temporal-difference error; a steady climb means values that run away.",
  },
  "train/td_error": {
    title: "TD error",
    help: "Mean temporal-difference error: by how much an experience still surprises the table.",
  },
  "train/states_visited": {
    title: "States visited",
    help: "How many states were tried at least once.",
  },
  "train/actor_loss": {
    title: "Actor loss",
    help: "The negative of how good the critic finds the actor's actions; it falls as the actor improves.",
  },
  "train/critic_loss": {
    title: "Critic loss",
    help: "Error of the critic against its own target. A steady climb means values that run away.",
  },
  "train/ent_coef": {
    title: "Entropy coefficient",
    help: "What a unit of entropy is worth against reward. Tuned by itself when ent_coef is auto.",
  },
  "train/policy_loss": {
    title: "Policy loss",
    help: "What the policy's update minimises. Its size says little; sudden jumps do.",
  },
  "train/policy_objective": {
    title: "Policy objective",
    help: "What the policy's update maximises: the advantage of its new actions over the old.",
  },
};

/** Metrics that the two charts on top show, or that only serve as an axis. */
const ELSEWHERE = new Set([
  "episode/reward",
  "episode/length",
  "episode/index",
  "rollout/ep_rew_mean",
  "rollout/ep_len_mean",
  "eval/mean_reward",
  "eval/std_reward",
  "eval/mean_ep_length",
]);

export interface ChartSelection {
  main: string[];
  more: string[];
}

/**
 * Which metrics have charts of their own, and which stand under "More": nothing that was logged is hidden.
 * `expected` are those that the algorithm will log, so that their charts have their places from the start.
 */
export function selectCharts(
  expected: readonly string[],
  found: readonly string[],
): ChartSelection {
  const all = new Set([...expected, ...found].filter((name) => !ELSEWHERE.has(name)));
  const main = Object.keys(DEFINITIONS).filter((name) => all.has(name));
  // The total loss of an actor-critic is the sum of losses that have charts of their own.
  const shown = all.has("train/value_loss") ? main.filter((name) => name !== "train/loss") : main;
  const more = found.filter((name) => !ELSEWHERE.has(name) && !shown.includes(name));
  return { main: shown, more: more.toSorted() };
}

export function metricChart(source: ChartSource, metric: string, empty: string): ChartSpec {
  const { title, help, negate } = DEFINITIONS[metric] ?? { title: metric, help: undefined };
  const known = title !== metric;
  return {
    id: metric,
    title,
    help: known && !negate ? `${help} Logged as ${metric}.` : help,
    references: [],
    empty,
    series: [
      {
        ...{ id: metric, source, metric, mode: "line", color: "chart-mean", negate },
        label: known ? title : "Value",
        // A schedule or a count is exact: smoothing would only delay it.
        smooth: !EXACT.has(metric) && !metric.startsWith("time/"),
      },
    ],
  };
}

const EXACT = new Set([
  "rollout/exploration_rate",
  "train/learning_rate",
  "train/clip_range",
  "train/n_updates",
  "train/states_visited",
]);

/** The chart that shows a metric. */
export function chartOf(specs: readonly ChartSpec[], metric: string): ChartSpec | undefined {
  return specs.find(
    ({ id, series }) => id === metric || series.some((one) => one.metric === metric),
  );
}
