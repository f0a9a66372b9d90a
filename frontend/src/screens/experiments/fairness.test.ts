import { expect, test } from "vitest";
import { type ExperimentDraft, FIRST, presetOf } from "./draft";
import { unfairnessOf } from "./fairness";
import { cartpole, read } from "./fixtures";

const LENGTHS =
  "PPO Fast trains for 41k steps and DQN Fast for 50k. DQN Fast may be better only because it trains longer.";
const POLICIES =
  "DQN Fast is scored by the best policy of its evaluations, but PPO Fast is scored by its last policy, because it has no evaluations.";
const saysOf = (draft: ExperimentDraft) => unfairnessOf(draft, cartpole).map(({ says }) => says);

test("reports that two presets train for different lengths and are scored with different policies", () => {
  expect(saysOf(FIRST)).toEqual([LENGTHS, POLICIES]);
});

test("its suggestion fixes the problem and is sent to the service", () => {
  const mended = unfairnessOf(FIRST, cartpole).reduce<ExperimentDraft>(
    (draft, { changes }) => ({ ...draft, ...changes }),
    FIRST,
  );
  expect(saysOf(mended)).toEqual([]);
  expect(read(mended, cartpole).specification.base).toMatchObject({
    total_timesteps: 49_900,
    evaluation: { every_steps: 2_000 },
  });
});

test("reports that one ends when it is solved, and offers full training for all", () => {
  const [ppo, dqn] = ["ppo", "dqn"].map((algo) => ({
    ...presetOf(cartpole, { algo, preset: "fast" })!,
    end_step: 1_000,
  }));
  const environment = {
    ...cartpole.environment!,
    presets: {
      ppo: [{ ...ppo!, evaluation: { every_steps: 500, episodes: 5, stop_after: null } }],
      dqn: [{ ...dqn!, evaluation: { every_steps: 200, episodes: 5, stop_after: 3 } }],
    },
  };
  const [found, ...others] = unfairnessOf(FIRST, { ...cartpole, environment });
  expect(others).toEqual([]);
  expect(found?.says).toMatch(/^DQN Fast ends when it has solved the task, but PPO Fast continues/);
  const mended = { ...FIRST, ...found?.changes };
  expect(unfairnessOf(mended, { ...cartpole, environment })).toEqual([]);
  expect(mended.advanced.every).toBe("200");
});

test("the final policy of all variants is fair too", () => {
  expect(saysOf({ ...FIRST, advanced: { ...FIRST.advanced, policy: "latest" } })).toEqual([
    LENGTHS,
  ]);
});

test("one variant, a preset against itself and a search raise no warning", () => {
  const [ppo] = FIRST.variants;
  expect(saysOf({ ...FIRST, variants: [ppo!] })).toEqual([]);
  const changed = { ...ppo!, changes: [{ name: "gamma", text: "0.9" }] };
  expect(saysOf({ ...FIRST, variants: [ppo!, changed] })).toEqual([]);
  expect(saysOf({ ...FIRST, kind: "search" })).toEqual([]);
});
