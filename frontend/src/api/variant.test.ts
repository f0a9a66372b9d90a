import { expect, test } from "vitest";
import type { Environment } from "./types";
import { environmentOfRun, randomReturnOfRun, variantFor } from "./variant";

const variant = (options: object, algorithms: string[], reward_threshold: number) => ({
  options,
  algorithms,
  reward_threshold,
});
const lander = {
  id: "LunarLander-v3",
  options: [
    { name: "continuous", default: false },
    { name: "size", default: "4x4" },
    { name: "gravity", default: -10 },
  ],
  algorithms: ["dqn"],
  reward_threshold: 200,
  variants: [
    variant({ continuous: false, size: "4x4" }, ["dqn"], 200),
    variant({ continuous: true, size: "4x4" }, ["sac"], 201),
    variant({ continuous: true, size: "8x8" }, ["sac"], 202),
  ],
} as unknown as Environment;
const plain = { ...lander, id: "CartPole-v1", variants: [] };

test.each([
  ["defaults", lander, {}, ["dqn"], 200],
  ["one option, the others at their defaults", lander, { continuous: true }, ["sac"], 201],
  ["all options that matter", lander, { continuous: true, size: "8x8" }, ["sac"], 202],
  ["an option that matters to nothing", lander, { gravity: -3 }, ["dqn"], 200],
  ["values that nobody offers", lander, { size: "9x9" }, ["dqn"], 200],
  ["an environment that is always the same", plain, { continuous: true }, ["dqn"], 200],
])("%s decide what the environment is", (_, environment, options, algorithms, threshold) => {
  const found = variantFor(environment, options);
  expect(found).toMatchObject({ algorithms, reward_threshold: threshold });
  expect(found.options).toBe(environment.options);
});

test("a run is judged by the environment variant it trained in", () => {
  const run = { env_options: { continuous: true } };
  expect(environmentOfRun(lander, run)?.reward_threshold).toBe(201);
  expect(environmentOfRun(undefined, run)).toBeUndefined();
});

test("the return of random actions is known for default options and for options that change nothing else", () => {
  const measured = { ...lander, random_return: { mean: -178, std: 90, episodes: 100 } };
  const of = (env_options: object) =>
    randomReturnOfRun(measured, { env_options: { ...env_options } });
  expect(of({})).toBe(-178);
  expect(of({ gravity: -10, continuous: false })).toBe(-178);
  expect(of({ gravity: -3 })).toBeNull();
  expect(randomReturnOfRun(plain, {})).toBeNull();
  expect(randomReturnOfRun(undefined, {})).toBeNull();
});
