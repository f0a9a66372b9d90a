import { expect, test } from "vitest";
import type { Experiment } from "@/api/types";
import { described, seedText } from "./described";

const variant = (id: string, changes: object = {}) => ({
  ...{ id, label: id.toUpperCase(), algo: "ppo", env_id: "CartPole-v1", preset: "fast" },
  ...{ hyperparameters: {}, ...changes },
});
const experiment = (specification: object, changes: object = {}) =>
  ({ seeds: [0, 1, 2], variants: [], specification, ...changes }) as unknown as Experiment;
const upper = (id: string) => id.toUpperCase();
const base = { algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: null };

test("differences between variants are columns and shared values are facts", () => {
  const found = described(
    experiment(
      {
        base: { ...base, env_options: { map_name: "8x8" }, total_timesteps: 9_000 },
        variants: [
          { name: "a", changes: {} },
          { name: "b", changes: { env_options: { slippery: true }, total_timesteps: 500 } },
        ],
        score: { episodes: 20, policy: "best" },
        ...{ fail_mode: "retry", retries: null, parallel: null, memory_per_worker: null },
        limits: { seconds: 90, core_seconds: 7_200, steps: null },
      },
      {
        variants: [
          variant("a", { hyperparameters: { gamma: 0.9 }, total_timesteps: 9_000 }),
          variant("b", { total_timesteps: 500 }),
        ],
      },
    ),
    upper,
    { experiment_retries: { minimum: 1, maximum: 10, default: 1 } },
  );
  expect(found.table).toEqual({
    columns: ["variant", "algorithm", "preset", "steps", "gamma", "slippery"],
    rows: [
      ["A", "PPO", "Fast", "9,000", "0.9", "preset’s"],
      ["B", "PPO", "Fast", "500", "preset’s", "true"],
    ],
  });
  expect(Object.fromEntries(found.facts)).toEqual({
    Environment: "CartPole-v1, map_name 8x8",
    Seeds: "0 to 2",
    "Evaluated while it trains": "as the preset says",
    Score: "20 fresh episodes by the best policy, if one was kept",
    "On failure": "train it again, 1 retry at most",
    "Parallel runs": "as many as the service allows",
    "Start no trial after": "1m 30s, or 7,200 core-seconds",
  });
});

test("a shared number of steps is a fact, also if it comes from presets", () => {
  const variants = [variant("a", { total_timesteps: 700 }), variant("b", { total_timesteps: 700 })];
  const found = described(experiment({ base, variants: [] }, { variants }), upper);
  expect(Object.fromEntries(found.facts)["Steps of each run"]).toBe("700");
  expect(found.table.columns).not.toContain("steps");
});

test("exploration and reward are columns where variants differ, and facts where they do not", () => {
  const explores = { map: false, coverage: 0.1, novelty: null };
  const reward = { weights: { engine: 0.5 }, caps: {} };
  const changes = [{ exploration: explores }, { exploration: {} }];
  const variants = changes.map((one, at) => ({ name: String(at), changes: one }));
  const varied = described(
    experiment({ base: { ...base, reward }, variants }, { variants: [variant("a"), variant("b")] }),
    upper,
  );
  expect(varied.table.columns).toEqual(["variant", "algorithm", "preset", "exploration"]);
  expect(varied.table.rows.map((row) => row.at(-1))).toEqual(["coverage 0.1", "off"]);
  expect(Object.fromEntries(varied.facts)).toMatchObject({ "Reward in training": "engine × 0.5" });
  expect(Object.fromEntries(varied.facts)).not.toHaveProperty("Exploration");
  const [, second] = variants;
  const preset = described(
    experiment(
      { base, variants: [{ name: "0" }, second!] },
      { variants: [variant("a"), variant("b")] },
    ),
    upper,
  );
  expect(preset.table.rows.map((row) => row.at(-1))).toEqual(["the preset’s", "off"]);
  const same = experiment({ base: { ...base, exploration: explores }, grid: { gamma: [0.9] } });
  expect(Object.fromEntries(described(same, upper).facts)).toMatchObject({
    Exploration: "coverage 0.1",
  });
});

test("several environments are all named, and each variant has its own", () => {
  const variants = [variant("a"), variant("b", { env_id: "Acrobot-v1" })];
  const found = described(experiment({ base, variants: [] }, { variants }), upper);
  expect(Object.fromEntries(found.facts)).toMatchObject({
    Environments: "CartPole-v1, Acrobot-v1",
  });
  expect(found.table.rows.map(([name, , , where]) => [name, where])).toEqual([
    ["A", "CartPole-v1"],
    ["B", "Acrobot-v1"],
  ]);
});

test("the table of a search lists its parameters with scale and condition", () => {
  const space = {
    gamma: { kind: "float", low: 0.9, high: 0.999, log: false, step: null, when: {} },
    rate: { kind: "float", low: 1e-5, high: 0.01, log: true, step: null, when: {} },
    net: { kind: "choice", choices: [[64], [64, 64]], when: {} },
    slope: { kind: "int", low: 2, high: 8, log: false, step: 2, when: { use: [true] } },
  };
  const sweep = { space, sampler: "tpe", pruner: "median", trials: 20, seed: 7 };
  const found = described(
    experiment({
      base: { ...base, evaluation: { every_steps: 500, episodes: 5, stop_after: 3 } },
      ...{ sweep, fail_mode: "continue", parallel: 2, memory_per_worker: 64_000_000 },
      score: { episodes: 5, policy: "latest", deterministic: false },
    }),
    upper,
  );
  expect(found.table.rows).toEqual([
    ["gamma", "0.9 to 0.999", "linear", "always"],
    ["rate", "0.00001 to 0.01", "logarithmic", "always"],
    ["net", "64; 64, 64", "choice", "always"],
    ["slope", "2 to 8, by 2", "linear", "use is true"],
  ]);
  expect(Object.fromEntries(found.facts)).toMatchObject({
    "Begins from": "PPO, Fast",
    Sampler: "TPE, seed 7",
    Pruner: "median",
    "Evaluated while it trains": "every 500 steps, 5 episodes; ends once 3 in a row solve it",
    Score: "5 fresh episodes by the policy at the end, with sampled actions",
    "Parallel runs": "2 runs",
    "Memory per worker": "64 MB at most",
  });
});

test("a search has as many combinations as trials per seed", () => {
  const space = { gamma: { kind: "choice", choices: [0.9, 0.99], when: {} } };
  const found = experiment({ base, sweep: { space, sampler: "tpe", trials: 5 } }, { trials: 6 });
  expect(Object.fromEntries(described(found, upper).facts).Trials).toBe("2 combinations");
});

test("listed seeds are listed", () => {
  expect(seedText([7, 8, 11])).toBe("7, 8, 11");
  expect(seedText([0])).toBe("0");
});
