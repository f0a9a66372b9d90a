import type { Choices } from "./draft";

const field = (name: string, type: string, value: unknown, rest: object = {}) => ({
  name,
  type,
  default: value,
  nullable: false,
  minimum: null,
  maximum: null,
  exclusive_minimum: null,
  exclusive_maximum: null,
  choices: null,
  help: `Help for ${name}.`,
  ...rest,
});

const preset = (id: string, total_timesteps: number, hyperparameters: object) => ({
  id,
  title: id,
  summary: `Summary of ${id}.`,
  total_timesteps,
  hyperparameters,
});

const algorithm = (id: string, hyperparameters: object[]) => ({
  id,
  name: id.toUpperCase(),
  title: `The ${id} algorithm`,
  summary: "",
  action_spaces: ["Discrete"],
  hyperparameters,
  presets: [],
  total_timesteps: { minimum: 100, maximum: 1_000_000 },
  seed: { minimum: 0, maximum: 2_147_483_647 },
});

/** Two algorithms and an environment, as small as the form's rules allow. */
export const choices = {
  algorithms: [
    algorithm("ppo", [
      field("learning_rate", "number", 0.0003, { exclusive_minimum: 0, maximum: 1 }),
      field("n_steps", "integer", 2048, { minimum: 2, maximum: 65_536 }),
      field("target_kl", "number", null, { nullable: true, minimum: 0 }),
      field("net_arch", "array", [64, 64], { minimum: 1 }),
      field("schedule", "string", "constant", { choices: ["constant", "linear"] }),
    ]),
    algorithm("dqn", [field("buffer_size", "integer", 50_000, { minimum: 100 })]),
  ],
  environments: [
    {
      id: "CartPole-v1",
      name: "CartPole",
      family: "classic-control",
      family_title: "Classic control",
      summary: "Balance a pole.",
      observation_space: {},
      action_space: {},
      reward_threshold: 475,
      max_episode_steps: 500,
      render_fps: 50,
      algorithms: ["ppo", "dqn"],
      presets: {
        ppo: [preset("fast", 30_000, { learning_rate: 0.001 }), preset("stable", 100_000, {})],
        dqn: [preset("stable", 80_000, {}), preset("high-score", 200_000, {})],
      },
    },
  ],
} as unknown as Choices;
