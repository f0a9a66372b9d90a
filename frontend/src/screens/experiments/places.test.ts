import { expect, test } from "vitest";
import type { Environment } from "@/api/types";
import { enter, FIRST, nextPlace, offerIn, type Place } from "./draft";
import { algorithms, cartpole, environments, offerAt, place, read, schema } from "./fixtures";
import { refusalsOf } from "./problems";

const both = [place("CartPole-v1"), place("Pendulum-v1")];
const everywhere = offerAt(...both);

test("in several environments, algorithms and presets that all support are offered", () => {
  expect(everywhere.algorithms.map(({ id }) => id)).toEqual(["ppo"]);
  const moved = enter({ ...FIRST, places: both }, everywhere);
  expect(moved.variants).toEqual([{ algo: "ppo", preset: "stable" }]);
  expect(nextPlace(FIRST, environments)).toBeNull(); // DQN cannot learn in Pendulum
  expect(nextPlace({ ...FIRST, variants: [FIRST.base] }, environments)).toEqual(both[1]);
});

test("each variant is trained in each environment and counted with its presets there", () => {
  const variants = [
    { algo: "ppo", preset: "stable" },
    { algo: "ppo", preset: "stable", name: "Patient", changes: [{ name: "gamma", text: "0.9" }] },
  ];
  const found = read({ ...FIRST, places: both, variants, seeds: 3 }, everywhere);
  expect(found.specification).toMatchObject({
    base: { env_id: "CartPole-v1" },
    variants: [
      { name: "PPO Stable on CartPole-v1", changes: { env_id: "CartPole-v1" } },
      { name: "PPO Stable on Pendulum-v1", changes: { env_id: "Pendulum-v1", preset: "stable" } },
      { name: "Patient on CartPole-v1", changes: { hyperparameters: { gamma: 0.9 } } },
      { name: "Patient on Pendulum-v1", changes: { hyperparameters: { gamma: 0.9 } } },
    ],
  });
  expect(found.problems.size).toBe(0);
  expect(read({ ...FIRST, kind: "grid", places: both }, cartpole).specification).toMatchObject({
    base: { env_id: "CartPole-v1" },
  });
});

test("a duplicate environment is reported unless its options differ", () => {
  const gravity = schema("gravity", "number", { default: 9.8, minimum: 0, maximum: 20 });
  const [cart] = environments;
  const known = [{ ...cart!, options: [gravity] } as unknown as Environment];
  const heavy = { env: "CartPole-v1", options: { gravity: "12" } };
  const at = (...places: Place[]) =>
    read({ ...FIRST, variants: [FIRST.base], places }, offerIn(known, algorithms, places));
  const [here, again] = [place("CartPole-v1"), place("CartPole-v1")];
  expect(Object.fromEntries(at(here, again).problems)).toEqual({
    "/places/1": "It is listed twice",
  });
  const apart = at(here, heavy);
  expect(apart.problems.size).toBe(0);
  expect(apart.specification.variants).toMatchObject([
    { name: "PPO Fast on CartPole-v1" },
    { name: "PPO Fast on CartPole-v1, gravity 12", changes: { env_options: { gravity: 12 } } },
  ]);
  expect(apart.specification.variants![0]!.changes).not.toHaveProperty("env_options");
});

test("a refused variant is shown at its line and at its environment", () => {
  const places = [place("CartPole-v1"), { env: "Pendulum-v1", options: { g: "40" } }];
  const changes = [{ name: "gamma", text: "0.9" }];
  const variants = [FIRST.base, { ...FIRST.base, changes }];
  const refused = [
    { pointer: "/variants/3/changes/hyperparameters/gamma", detail: "Not here." },
    { pointer: "/variants/1/changes/env_options/g", detail: "Too heavy." },
    { pointer: "/variants/2/changes/algo", detail: "It does not fit." },
  ];
  const { shown, others } = refusalsOf({ ...FIRST, places, variants }, refused);
  expect(Object.fromEntries(shown)).toEqual({
    "/variants/1/changes/hyperparameters/gamma": "Not here.",
    "/places/1/env_options/g": "Too heavy.",
  });
  expect(others).toEqual([{ ...refused[2], detail: "Line 2: It does not fit." }]);
});
