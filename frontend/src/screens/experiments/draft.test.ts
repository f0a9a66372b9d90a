import { expect, test } from "vitest";
import type { AdvancedDraft } from "./advanced-draft";
import { enter, type ExperimentDraft, FIRST, type Offer, variantsIn, withBase } from "./draft";
import { cartpole, pendulum, place, read } from "./fixtures";

const toSpecification = (draft: ExperimentDraft, offer: Offer) => read(draft, offer).specification;
const problemsOf = (draft: ExperimentDraft, offer: Offer) =>
  Object.fromEntries(read(draft, offer).problems);

test("offers the algorithms that can learn in the environment", () => {
  expect(cartpole.algorithms.map(({ id }) => id)).toEqual(["ppo", "dqn"]);
});

test("keeps what fits another environment, with one of its presets", () => {
  expect(variantsIn(pendulum, FIRST.variants)).toEqual([{ algo: "ppo", preset: "stable" }]);
  expect(variantsIn(pendulum, [{ algo: "dqn", preset: "fast" }])).toEqual([
    { algo: "ppo", preset: "stable" },
    { algo: "sac", preset: "fast" },
  ]);
  expect(variantsIn(pendulum, [{ algo: "ppo", preset: "" }])).toEqual([
    { algo: "ppo", preset: "" },
  ]);
});

test("describes the comparison in the form of the service", () => {
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

test("says how actions are chosen for the score only if the user chose", () => {
  const scoreWith = (actions: AdvancedDraft["actions"]) =>
    toSpecification({ ...FIRST, advanced: { ...FIRST.advanced, actions } }, cartpole).score;
  expect(scoreWith("sampled")).toEqual({ deterministic: false });
  expect(scoreWith("greedy")).toEqual({ deterministic: true });
  expect(toSpecification(FIRST, cartpole)).not.toHaveProperty("score.deterministic");
});

test("evaluations choose actions as those of the presets unless it is known otherwise", () => {
  const planWith = (sampled: boolean | null) =>
    toSpecification({ ...FIRST, sampled, advanced: { ...FIRST.advanced, every: "500" } }, cartpole)
      .base?.evaluation;
  expect(planWith(null)).toEqual({ every_steps: 500 });
  expect(planWith(true)).toEqual({ every_steps: 500, deterministic: false });
  expect(planWith(false)).toEqual({ every_steps: 500, deterministic: true });
  expect(toSpecification({ ...FIRST, sampled: true }, cartpole).base?.evaluation).toEqual({
    ...{ every_steps: null, deterministic: false },
  });
});

test("a named variant with changes is marked as changed", () => {
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

test("lists of a grid are separated by semicolons", () => {
  const grid = [
    { name: "gamma", text: "0.9, 0.99, 0.999" },
    { name: "net_arch", text: "64; 64, 64" },
  ];
  const found = read({ ...FIRST, kind: "grid", grid, steps: "1k" }, cartpole);
  expect(found.problems.size).toBe(0);
  expect(found.specification).toEqual({
    base: { algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: 1_000 },
    grid: { gamma: [0.9, 0.99, 0.999], net_arch: [[64], [64, 64]] },
    seeds: 5,
  });
});

test.each([
  ["", "Give values, with “,” between"],
  ["0.9, 0.9", "0.9 is listed twice"],
  ["0.9, often", "often: Enter a number"],
])("grid values %j are reported as wrong", (text, problem) => {
  const draft = { ...FIRST, kind: "grid" as const, grid: [{ name: "gamma", text }] };
  expect(problemsOf(draft, cartpole)).toEqual({ "/grid/gamma": problem });
});

test.each([
  ["steps", "0", "Must be 100 to 10,000,000"],
  ["steps", "-5", "Must be 100 to 10,000,000"],
  ["steps", "1e12", "Must be 100 to 10,000,000"],
  ["steps", "12.5", "Enter a whole number"],
  ["trials", "0", "Must be 1 to 1,000"],
  ["trials", "100,000", "Must be 1 to 1,000"],
  ["trials", "", "Enter a whole number"],
  ["seeds", "21", "Must be 1 to 20"],
])("%s %j are reported as wrong with the violated bounds", (field, text, problem) => {
  const isSteps = field === "steps";
  const draft = isSteps
    ? { ...FIRST, steps: text }
    : { ...searching, sweep: { ...searching.sweep, [field]: text } };
  const at = { steps: "/base/total_timesteps", trials: "/sweep/trials" }[field];
  expect(problemsOf(draft, cartpole)).toEqual({ [at ?? "/sweep/seeds_per_trial"]: problem });
});

const searching = withBase({ ...FIRST, kind: "search" }, cartpole, FIRST.base);
const searchWith = (name: string, changes: object) => ({
  ...searching,
  sweep: {
    ...searching.sweep,
    space: searching.sweep.space.map((row) => (row.name === name ? { ...row, ...changes } : row)),
  },
});

test("a search starts with the suggestions of the algorithm that the environment can use", () => {
  const found = read({ ...searching, steps: "5000" }, cartpole);
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
  ["gamma", { low: "1" }, "The first end must be below the second"],
  ["gamma", { low: "0", log: true }, "A logarithmic scale starts above 0"],
  ["slope", { high: "2.5" }, "Enter whole numbers"],
  ["net_arch", { choices: "64; wide" }, "wide: Enter a whole number"],
])("search parameter %s with %j is reported as wrong", (name, changes, problem) => {
  expect(problemsOf(searchWith(name, changes), cartpole)).toEqual({
    [`/sweep/space/${name}`]: problem,
  });
});

test("a condition on a parameter that is not searched is reported", () => {
  expect(problemsOf(searchWith("activation", { searched: false }), cartpole)).toEqual({
    "/sweep/space/slope": expect.stringContaining("only where activation is searched"),
  });
});

test("trials that can be pruned are evaluated ten times", () => {
  const judged = { ...searching, sweep: { ...searching.sweep, pruner: "median" as const } };
  expect(toSpecification({ ...judged, steps: "8k" }, cartpole).base?.evaluation).toMatchObject({
    every_steps: 800,
  });
  const unknown = { ...judged, base: { algo: "ppo", preset: "" } };
  expect(problemsOf(unknown, cartpole)).toEqual({
    "/base/total_timesteps": expect.stringMatching(/^Enter the steps/),
  });
});

test("another environment or algorithm keeps what it can and suggests its own space", () => {
  const moved = enter({ ...searching, places: [place("Pendulum-v1")] }, pendulum);
  expect(moved.base).toEqual({ algo: "ppo", preset: "stable" });
  expect(moved.sweep.space.map(({ name }) => name)).toContain("gamma");
});

test("another algorithm keeps the values of a grid with the same meaning", () => {
  const algorithms = cartpole.algorithms.map((one) =>
    one.id === "dqn"
      ? {
          ...one,
          hyperparameters: one.hyperparameters.map((field) =>
            field.name === "n_steps" ? { ...field, help: "Of a return." } : field,
          ),
        }
      : one,
  );
  const grid = [
    { name: "gamma", text: "0.9, 0.99" },
    { name: "n_steps", text: "64, 128" },
  ];
  const moved = withBase(
    { ...FIRST, grid },
    { ...cartpole, algorithms, known: algorithms },
    { algo: "dqn", preset: "" },
  );
  expect(moved.grid).toEqual([{ name: "gamma", text: "0.9, 0.99" }]);
});

test("another environment keeps the values of a grid that mean the same in its algorithm", () => {
  const base = { algo: "dqn", preset: "" };
  const grid = [
    { name: "gamma", text: "0.9, 0.99" },
    { name: "buffer_size", text: "1000, 10000" },
  ];
  const moved = enter({ ...FIRST, base, grid, places: [place("Pendulum-v1")] }, pendulum);
  expect(moved.base.algo).toBe("ppo");
  expect(moved.grid).toEqual([{ name: "gamma", text: "0.9, 0.99" }]);
});
