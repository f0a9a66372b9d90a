import { expect, test } from "vitest";
import type { Algorithm, Environment } from "@/api/types";
import { type ExperimentDraft, FIRST, offerIn } from "./draft";
import { unfairnessOf } from "./fairness";
import { cartpole, pendulum, place } from "./fixtures";
import { changedCount } from "./advanced-draft";
import { isUntouched, movedDraft, openingDraft } from "./specification";

const preset = (id: string, end_step: number, evaluation: object | null, recommended = false) => ({
  ...{ id, title: id, end_step, total_timesteps: end_step, evaluation, recommended },
});
const often = { every_steps: 2_000, stop_after: null };

/** Where only the third preset of the second algorithm works. */
const lander = {
  ...{ id: "Lander", available: true, variants: [], options: [] },
  ...{ algorithms: ["ppo", "dqn"], recommended_algorithm: "dqn" },
  ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  presets: {
    ppo: [preset("fast", 300_000, often, true)],
    dqn: [preset("fast", 100_000, often), preset("stable", 900_000, often)].concat(
      preset("high-score", 900_000, often, true),
    ),
  },
} as unknown as Environment;
const algorithms = ["ppo", "dqn"].map(
  (id) => ({ id, name: id, actor: "policy", hyperparameters: [], presets: [] }) as unknown,
) as Algorithm[];
const landers = offerIn([lander], algorithms, [place("Lander")]);

test("opens with a preset that works and a fair comparison", () => {
  const draft = openingDraft(landers, [place("Lander")]);
  expect(draft.variants).toEqual([
    { algo: "dqn", preset: "high-score" },
    { algo: "dqn", preset: "stable" },
  ]);
  expect(draft.base).toEqual({ algo: "dqn", preset: "high-score" });
});

test.each([
  ["CartPole-v1", cartpole],
  ["Pendulum-v1", pendulum],
  ["Lander", landers],
])("opens with a fair comparison on %s", (env, offer) => {
  const draft = openingDraft(offer, [place(env)]);
  expect(draft.variants).toHaveLength(2);
  expect(unfairnessOf(draft, offer)).toEqual([]);
  expect(isUntouched(draft, offer)).toBe(true);
  expect(isUntouched({ ...draft, seeds: 3 }, offer)).toBe(false);
});

test("without a fair pair the fewest changes make one", () => {
  const draft = openingDraft(cartpole, FIRST.places);
  expect(draft.variants.map(({ preset }) => preset)).toEqual(["fast", "stable"]);
  expect([draft.steps, draft.advanced.every]).toEqual(["99900", ""]);
});

test("what the form proposes is not counted as changed", () => {
  const { advanced } = openingDraft(landers, [place("Lander")]);
  const proposed = { ...advanced, every: "10000" };
  expect(changedCount(proposed)).toBe(1);
  expect(changedCount(proposed, proposed)).toBe(0);
  expect(changedCount({ ...proposed, every: "500", memory: "64" }, proposed)).toBe(2);
  expect(changedCount({ ...proposed, every: "" }, proposed)).toBe(0);
});

test("untouched fields follow another environment and chosen ones stay", () => {
  const draft = openingDraft(cartpole, FIRST.places);
  const move = (one: ExperimentDraft) =>
    movedDraft(one, { ...one, places: [place("Lander")] }, cartpole, landers);
  expect(move(draft).variants[0]).toEqual({ algo: "dqn", preset: "high-score" });
  const search = movedDraft(draft, { ...draft, kind: "search" }, cartpole, cartpole);
  expect(search.base).toEqual({ algo: "ppo", preset: "fast" });
  expect(move(search).base).toEqual({ algo: "dqn", preset: "high-score" });
  const chosen = move({ ...search, base: { algo: "ppo", preset: "stable" } });
  expect(chosen.base).toEqual({ algo: "ppo", preset: "fast" });
});
