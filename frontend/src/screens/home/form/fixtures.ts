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
  group: "",
  help: `Help for ${name}.`,
  ...rest,
});

const preset = (id: string, total_timesteps: number, hyperparameters: object) => ({
  id,
  title: id,
  summary: `Summary of ${id}.`,
  source: "A paper.",
  tradeoff: "Time for calm.",
  measured: null,
  total_timesteps,
  hyperparameters,
});

const algorithm = (id: string, hyperparameters: object[]) => ({
  id,
  name: id.toUpperCase(),
  actor: "policy",
  title: `The ${id} algorithm`,
  summary: "",
  action_spaces: id === "sac" ? ["Box"] : ["Discrete", "Box"],
  observation_spaces: ["Box"],
  metrics: [],
  imitates: id === "ppo",
  hyperparameters,
  presets: [],
  total_timesteps: { minimum: 100, maximum: 1_000_000 },
  seed: { minimum: 0, maximum: 2_147_483_647 },
});

const spaces = (kind: string) => ({
  observation_space: {
    kind: "Box",
    shape: [4],
    n: null,
    labels: [],
    is_real: true,
    is_picture: false,
  },
  action_space: {
    kind,
    shape: kind === "Box" ? [1] : [],
    n: kind === "Box" ? null : 2,
    labels: [],
    is_real: kind === "Box",
    is_picture: false,
  },
});

const environment = (id: string, kind: string, algorithms: string[], rest: object = {}) => ({
  id,
  name: id.split("-")[0],
  family: "classic-control",
  family_title: "Classic control",
  summary: `About ${id}.`,
  ...spaces(kind),
  reward_threshold: 475,
  max_episode_steps: 500,
  render_fps: 50,
  options: [],
  variants: [],
  reward_components: [] as object[],
  not_exact_because: null,
  warnings: [] as string[],
  sees: "",
  does: "",
  available: true,
  install_hint: null,
  algorithms,
  presets: Object.fromEntries(algorithms.map((algo) => [algo, [preset("stable", 80_000, {})]])),
  ...rest,
});

const variant = (continuous: boolean, algorithms: string[], steps: number, rest: object) => ({
  ...spaces(continuous ? "Box" : "Discrete"),
  ...rest,
  options: { continuous },
  algorithms,
  presets: Object.fromEntries(algorithms.map((algo) => [algo, [preset("stable", steps, {})]])),
});

/** Three algorithms and four environments, as small as the form's rules allow. */
export const choices = {
  algorithms: [
    algorithm("ppo", [
      field("learning_rate", "number", 0.0003, { exclusive_minimum: 0, maximum: 1 }),
      field("n_steps", "integer", 2048, { minimum: 2, maximum: 65_536 }),
      field("target_kl", "number", null, { nullable: true, minimum: 0 }),
      field("net_arch", "array", [64, 64], { minimum: 1 }),
      field("schedule", "string", "constant", { choices: ["constant", "linear"] }),
    ]),
    {
      ...algorithm("dqn", [field("buffer_size", "integer", 50_000, { minimum: 100 })]),
      action_spaces: ["Discrete"],
    },
    algorithm("sac", [field("tau", "number", 0.005, {})]),
  ],
  environments: [
    environment("CartPole-v1", "Discrete", ["ppo", "dqn"], {
      presets: {
        ppo: [preset("fast", 30_000, { learning_rate: 0.001 }), preset("stable", 100_000, {})],
        dqn: [preset("stable", 80_000, {}), preset("high-score", 200_000, {})],
      },
    }),
    environment("Pendulum-v1", "Box", ["ppo", "sac"], {
      options: [field("g", "number", 10, { minimum: 0, maximum: 20 })],
      reward_components: [
        { name: "angle", label: "Angle", help: "Lost points for the distance from upright." },
        { name: "torque", label: "Torque", help: "" },
      ],
    }),
    environment("LunarLander-v3", "Discrete", ["ppo", "dqn"], {
      reward_threshold: 200,
      options: [field("continuous", "boolean", false), field("gravity", "number", -10)],
      variants: [
        variant(false, ["ppo", "dqn"], 80_000, { reward_threshold: 200 }),
        variant(true, ["ppo", "sac"], 300_000, { reward_threshold: 250 }),
      ],
    }),
    environment("Pong-v5", "Discrete", ["ppo"], {
      available: false,
      install_hint: "pip install ale-py",
    }),
  ],
  limits: {
    group_seeds: { minimum: 1, maximum: 50 },
    run_name: { minimum: 1, maximum: 120 },
    periodic_every_steps: { minimum: 100, maximum: 10_000_000 },
    periodic_episodes: { minimum: 1, maximum: 100 },
    periodic_stop_after: { minimum: 1, maximum: 100 },
    snapshot_every_steps: { minimum: 100, maximum: 10_000_000 },
    snapshot_every_seconds: { minimum: 1, maximum: 86_400, default: 60 },
    snapshots_kept: { minimum: 1, maximum: 100, default: 3 },
    coverage: { minimum: 0, maximum: 100, default: 0.1 },
    novelty: { minimum: 0, maximum: 10, default: 0.5 },
    reward_weight: { minimum: 0, maximum: 1000, excludes_minimum: false },
    reward_cap: { minimum: 0, maximum: 1e9, excludes_minimum: true },
    imitation: { minimum: 1, maximum: 100, default: 10 },
    archive: { minimum: 0, maximum: 1, default: 0.3 },
    snapshot_bytes: { minimum: 1_000_000, maximum: 1e15 },
  },
} as unknown as Choices;

const [first, ...others] = choices.environments;

/** The choices with an island of two rooms, where both presets of PPO explore, and those of DQN do not. */
export const exploring: Choices = {
  ...choices,
  environments: [
    {
      ...first!,
      world: {
        ...{ columns: 4, rows: 4, rooms_across: 2, rooms_down: 1, rooms: ["Shore", "Wood"] },
        ...{ marks: "", stages: 1, across: null, down: null },
      },
      presets: {
        ...first!.presets,
        ppo: first!.presets.ppo!.map((one, at) => ({
          ...one,
          exploration: { map: false, coverage: at === 0 ? 0.3 : 0.2, novelty: null, archive: 0.5 },
        })),
      },
    },
    ...others,
  ],
};
