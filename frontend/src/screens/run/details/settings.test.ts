import { expect, test } from "vitest";
import type { Environment, RunConfig } from "@/api/types";
import { presetOf, settings } from "./config-panel";

const config = {
  ...{ algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: 5000 },
  hyperparameters: { gamma: 0.99, net_arch: [64, 64], target_kl: null, own: 1 },
} as unknown as RunConfig;

const environments = [
  {
    id: "CartPole-v1",
    variants: [],
    presets: {
      ppo: [
        {
          id: "fast",
          total_timesteps: 5000,
          hyperparameters: { gamma: 0.98, net_arch: [64, 64], target_kl: 0.1 },
        },
      ],
    },
  },
] as unknown as Environment[];

test("differences from the preset come first, with its value", () => {
  expect(settings(config, presetOf(config, environments))).toEqual([
    { name: "gamma", value: 0.99, preset: 0.98 },
    { name: "target_kl", value: null, preset: 0.1 },
    { name: "total_timesteps", value: 5000 },
    { name: "net_arch", value: [64, 64] },
    { name: "own", value: 1 },
  ]);
});

test("a played run has no training steps", () => {
  const names = settings(config, null, { isPlayed: true }).map(({ name }) => name);
  expect(names).not.toContain("total_timesteps");
  expect(names).toContain("gamma");
});

test.each([
  [{ ...config, preset: null }, environments],
  [{ ...config, env_id: "Other-v1" }, environments],
  [config, []],
])("without a known preset nothing differs", (config, environments) => {
  expect(presetOf(config, environments)).toBeNull();
  expect(settings(config, null).every(({ preset }) => preset === undefined)).toBe(true);
});
