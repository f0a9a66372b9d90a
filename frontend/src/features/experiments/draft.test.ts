import { expect, test } from "vitest";
import type { Algorithm, Environment } from "@/lib/api";
import { FIRST, fitting, toSpecification, totalSteps } from "./draft";

const algorithm = (id: string, action: string, steps: number) =>
  ({
    ...{ id, name: id.toUpperCase(), actor: "policy" },
    ...{ observation_spaces: ["Box"], action_spaces: [action] },
    presets: [{ id: "fast", title: "Fast", total_timesteps: steps }],
  }) as unknown as Algorithm;
const algorithms = [
  algorithm("ppo", "Discrete", 40_000),
  algorithm("dqn", "Discrete", 50_000),
  algorithm("sac", "Box", 10_000),
  { ...algorithm("random", "Discrete", 0), actor: "random" } as Algorithm,
];

test("offers what can learn in the environment", () => {
  const cartpole = {
    observation_space: { kind: "Box" },
    action_space: { kind: "Discrete" },
  } as Environment;
  expect(fitting(algorithms, cartpole).map(({ id }) => id)).toEqual(["ppo", "dqn"]);
});

test("says what is compared as the service takes it", () => {
  expect(toSpecification(FIRST, algorithms)).toEqual({
    base: { env_id: "CartPole-v1", total_timesteps: null },
    variants: [
      { name: "PPO Fast", changes: { algo: "ppo", preset: "fast" } },
      { name: "DQN Fast", changes: { algo: "dqn", preset: "fast" } },
    ],
    seeds: 5,
  });
  const bare = { ...FIRST, variants: [{ algo: "ppo", preset: "" }], steps: "2k" };
  expect(toSpecification(bare, algorithms)).toMatchObject({
    base: { total_timesteps: 2_000 },
    variants: [{ name: "PPO defaults", changes: { preset: "none" } }],
  });
});

test("says what it costs", () => {
  expect(totalSteps(FIRST, algorithms)).toBe(5 * 90_000);
  expect(totalSteps({ ...FIRST, steps: "1e3" }, algorithms)).toBe(10_000);
  expect(totalSteps({ ...FIRST, steps: "nonsense" }, algorithms)).toBeNull();
  expect(totalSteps({ ...FIRST, variants: [{ algo: "ppo", preset: "" }] }, algorithms)).toBeNull();
});
