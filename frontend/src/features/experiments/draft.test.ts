import { expect, test } from "vitest";
import type { Algorithm, Environment, Limits } from "@/lib/api";
import {
  enter,
  type ExperimentDraft,
  FIRST,
  type Offer,
  offerIn,
  variantsIn,
  withBase,
} from "./draft";
import { readDraft } from "./specification";

const preset = (id: string, title: string, end_step: number) => ({
  ...{ id, title, end_step },
  total_timesteps: end_step - 100,
});
const schema = (name: string, type: string, changes: object = {}) => ({
  ...{ name, type, default: 1, nullable: false, choices: null, help: "", needs: null },
  ...changes,
});
const hyperparameters = [
  schema("gamma", "number", { minimum: 0, maximum: 1 }),
  schema("n_steps", "integer"),
  schema("net_arch", "array", { default: [64, 64] }),
  schema("activation", "string", { default: "tanh", choices: ["tanh", "relu"] }),
  schema("slope", "number"),
  schema("use_sde", "boolean", { default: false, needs: "continuous-actions" }),
];
const search = [
  {
    name: "gamma",
    parameter: { kind: "float", low: 0.9, high: 0.999, log: false, step: null },
    source: "RL Zoo",
  },
  { name: "net_arch", parameter: { kind: "choice", choices: [[64], [64, 64]] }, source: "" },
  { name: "activation", parameter: { kind: "choice", choices: ["tanh", "relu"] }, source: "" },
  {
    name: "slope",
    parameter: { kind: "int", low: 1, high: 8, log: true, step: 1, when: { activation: ["relu"] } },
    source: "",
  },
  { name: "use_sde", parameter: { kind: "choice", choices: [false, true] }, source: "" },
];
const algorithm = (id: string, actor = "policy") =>
  ({
    ...{ id, name: id.toUpperCase(), actor, hyperparameters, search },
    presets: [preset("fast", "Fast", 1_000)],
  }) as unknown as Algorithm;
const algorithms = [
  algorithm("ppo"),
  algorithm("dqn"),
  algorithm("sac"),
  algorithm("random", "random"),
];
const environment = (id: string, presets: Record<string, object[]>) =>
  ({
    ...{ id, presets, variants: [], options: [] },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
    algorithms: [...Object.keys(presets), "random"],
  }) as unknown as Environment;
const environments = [
  environment("CartPole-v1", {
    ppo: [preset("fast", "Fast", 40_960), preset("stable", "Stable", 100_000)],
    dqn: [preset("fast", "Fast", 50_000), preset("own-mine", "Mine", 7_000)],
  }),
  environment("Pendulum-v1", {
    ppo: [preset("stable", "Stable", 100_000)],
    sac: [preset("fast", "Fast", 10_000)],
  }),
];
const limits = {
  ...{ scored_episodes: { minimum: 1, maximum: 1_000, default: 20 } },
  ...{ experiment_seeds: { minimum: 1, maximum: 1_000 }, seed: { minimum: 0, maximum: 10_000 } },
  ...{ experiment_parallel: { minimum: 1, maximum: 256 } },
  ...{ experiment_retries: { minimum: 1, maximum: 10, default: 1 } },
  ...{ periodic_every_steps: { minimum: 100, maximum: 10_000_000 } },
} as unknown as Limits;
const read = (draft: ExperimentDraft, offer: Offer) => readDraft(draft, offer, limits);
const toSpecification = (draft: ExperimentDraft, offer: Offer) => read(draft, offer).specification;
const totalSteps = (draft: ExperimentDraft, offer: Offer) => read(draft, offer).steps;
const problemsOf = (draft: ExperimentDraft, offer: Offer) =>
  Object.fromEntries(read(draft, offer).problems);
const cartpole = offerIn(environments, algorithms, "CartPole-v1");
const pendulum = offerIn(environments, algorithms, "Pendulum-v1");

test("offers what can learn in the environment", () => {
  expect(cartpole.algorithms.map(({ id }) => id)).toEqual(["ppo", "dqn"]);
});

test("keeps what fits another environment, with a preset that it has there", () => {
  expect(variantsIn(pendulum, FIRST.variants)).toEqual([{ algo: "ppo", preset: "stable" }]);
  expect(variantsIn(pendulum, [{ algo: "dqn", preset: "fast" }])).toEqual([
    { algo: "ppo", preset: "stable" },
    { algo: "sac", preset: "fast" },
  ]);
  expect(variantsIn(pendulum, [{ algo: "ppo", preset: "" }])).toEqual([
    { algo: "ppo", preset: "" },
  ]);
});

test("says what is compared as the service takes it", () => {
  expect(toSpecification(FIRST, cartpole)).toEqual({
    base: { env_id: "CartPole-v1", total_timesteps: null },
    variants: [
      { name: "PPO Fast", changes: { algo: "ppo", preset: "fast" } },
      { name: "DQN Fast", changes: { algo: "dqn", preset: "fast" } },
    ],
    seeds: 5,
  });
  const bare = { ...FIRST, variants: [{ algo: "ppo", preset: "" }], steps: "2k" };
  expect(toSpecification(bare, cartpole)).toMatchObject({
    base: { total_timesteps: 2_000 },
    variants: [{ name: "PPO defaults", changes: { preset: "none" } }],
  });
});

test("says what it costs with the environment's own presets, to the step at which training ends", () => {
  expect(totalSteps(FIRST, cartpole)).toBe(5 * 90_960);
  const own = { ...FIRST, variants: [{ algo: "dqn", preset: "own-mine" }] };
  expect(totalSteps(own, cartpole)).toBe(5 * 7_000);
  expect(totalSteps({ ...FIRST, steps: "1e3" }, cartpole)).toBe(10_000);
  expect(totalSteps({ ...FIRST, steps: "nonsense" }, cartpole)).toBeNull();
  expect(totalSteps({ ...FIRST, variants: [{ algo: "ppo", preset: "" }] }, cartpole)).toBeNull();
});

test("a named variant with changes is said so", () => {
  const changes = [{ name: "net_arch", text: "32, 32" }];
  const [named, changed] = [
    { algo: "ppo", preset: "fast", name: " Small ", changes },
    { algo: "ppo", preset: "fast", changes },
  ];
  expect(toSpecification({ ...FIRST, variants: [named, changed] }, cartpole).variants).toEqual([
    {
      name: "Small",
      changes: { algo: "ppo", preset: "fast", hyperparameters: { net_arch: [32, 32] } },
    },
    expect.objectContaining({ name: "PPO Fast, net_arch 32, 32" }),
  ]);
  const wrong = { algo: "ppo", preset: "fast", changes: [{ name: "gamma", text: "2" }] };
  expect(problemsOf({ ...FIRST, variants: [wrong] }, cartpole)).toEqual({
    "/variants/0/changes/hyperparameters/gamma": "2: Must be 0 to 1",
  });
});

test("a grid is counted by its combinations, with lists apart by semicolons", () => {
  const grid = [
    { name: "gamma", text: "0.9, 0.99, 0.999" },
    { name: "net_arch", text: "64; 64, 64" },
  ];
  const found = read({ ...FIRST, kind: "grid", grid, steps: "1k" }, cartpole);
  expect([found.runs, found.steps, found.problems.size]).toEqual([30, 30_000, 0]);
  expect(found.specification).toEqual({
    base: { algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: 1_000 },
    grid: { gamma: [0.9, 0.99, 0.999], net_arch: [[64], [64, 64]] },
    seeds: 5,
  });
});

test.each([
  ["", "Give values, with “,” between"],
  ["0.9, 0.9", "0.9 is there twice"],
  ["0.9, often", "often: Enter a number"],
])("of a grid, values %j are told to be wrong", (text, problem) => {
  const draft = { ...FIRST, kind: "grid" as const, grid: [{ name: "gamma", text }] };
  expect(problemsOf(draft, cartpole)).toEqual({ "/grid/gamma": problem });
});

const searching = withBase({ ...FIRST, kind: "search" }, cartpole, FIRST.base);
const searchWith = (name: string, changes: object) => ({
  ...searching,
  sweep: {
    ...searching.sweep,
    space: searching.sweep.space.map((row) => (row.name === name ? { ...row, ...changes } : row)),
  },
});

test("a search begins with what the algorithm suggests and the environment can use", () => {
  const found = read({ ...searching, steps: "5000" }, cartpole);
  expect([found.runs, found.steps]).toEqual([20, 100_000]);
  expect(found.specification.sweep).toEqual({
    space: {
      gamma: { kind: "float", when: {}, low: 0.9, high: 0.999, log: false, step: null },
      net_arch: { kind: "choice", when: {}, choices: [[64], [64, 64]] },
      activation: { kind: "choice", when: {}, choices: ["tanh", "relu"] },
      slope: { kind: "int", when: { activation: ["relu"] }, low: 1, high: 8, log: true, step: 1 },
    },
    ...{ sampler: "tpe", pruner: "none", trials: 20, seeds_per_trial: 1, seed: 0 },
  });
  expect(found.specification.base).not.toHaveProperty("evaluation");
});

test.each([
  ["gamma", { low: "1" }, "The first end has to be less than the second"],
  ["gamma", { low: "0", log: true }, "A logarithmic scale begins above 0"],
  ["slope", { high: "2.5" }, "Give whole numbers"],
  ["net_arch", { choices: "64; wide" }, "wide: Enter a whole number"],
])("of a search, %s with %j is told to be wrong", (name, changes, problem) => {
  expect(problemsOf(searchWith(name, changes), cartpole)).toEqual({
    [`/sweep/space/${name}`]: problem,
  });
});

test("what depends on a choice that is not searched is told so", () => {
  expect(problemsOf(searchWith("activation", { searched: false }), cartpole)).toEqual({
    "/sweep/space/slope": expect.stringContaining("only where activation is searched"),
  });
});

test("trials that can be given up are evaluated ten times", () => {
  const judged = { ...searching, sweep: { ...searching.sweep, pruner: "median" as const } };
  expect(toSpecification({ ...judged, steps: "8k" }, cartpole).base?.evaluation).toMatchObject({
    every_steps: 800,
  });
  const unknown = { ...judged, base: { algo: "ppo", preset: "" } };
  expect(problemsOf(unknown, cartpole)).toEqual({
    "/base/total_timesteps": expect.stringMatching(/^Give them/),
  });
});

test("another environment or algorithm keeps what can be kept, and suggests its own space", () => {
  const moved = enter(searching, { env: "Pendulum-v1", options: {} }, pendulum);
  expect(moved.base).toEqual({ algo: "ppo", preset: "stable" });
  expect(moved.sweep.space.map(({ name }) => name)).toContain("gamma");
});
