import { expect, test } from "vitest";
import type { Algorithm, Environment } from "@/lib/api";
import { FIRST, offerIn, toSpecification, totalSteps, variantsIn } from "./draft";

const preset = (id: string, title: string, end_step: number) => ({
  ...{ id, title, end_step },
  total_timesteps: end_step - 100,
});
const algorithm = (id: string, actor = "policy") =>
  ({
    ...{ id, name: id.toUpperCase(), actor },
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
