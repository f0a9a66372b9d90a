const TITLES: Readonly<Record<string, string>> = {
  algo: "Algorithm",
  env_id: "Environment",
  group_id: "Group of seeds",
  fps: "Steps/s",
  step: "Steps",
  total_timesteps: "Steps planned",
  ep_rew_mean: "Mean return",
  ep_len_mean: "Mean length",
  best_moving_average: "Best average",
  best_moving_average_step: "Best at step",
  best_policy_return: "Best policy",
  ended_hour: "Hour of its end",
  evaluation_return: "Evaluation",
  reward_threshold: "Threshold",
  solved_step: "Solved at step",
  solved_seconds: "Seconds to solved",
  training_seconds: "Training seconds",
  experiment_id: "Experiment",
  experiment_variant: "Variant",
  parent_id: "Forked from",
};

/** The title of a column of the service's table of runs: `best_moving_average` → `Best average`. */
export function columnTitle(column: string): string {
  const known = TITLES[column];
  if (known !== undefined) return known;
  const words = column.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
