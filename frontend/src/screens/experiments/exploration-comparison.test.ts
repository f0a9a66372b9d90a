import { expect, test } from "vitest";
import type { Algorithm, Environment, RunConfig, World } from "@/api/types";
import { explorationDraft } from "@/forms/exploration";
import { type ExperimentDraft, FIRST, offerIn, OFF } from "./draft";
import { explorationComparisonOf, withAndWithoutExploration } from "./exploration-comparison";
import { algorithms, environments, limits, place, read } from "./fixtures";
import { exploresAsPresets, movedDraft, usualExploration } from "./specification";

const world = (rooms: number) => ({ rooms: Array(rooms).fill({}) }) as unknown as World;
const cells = (one: Environment, rooms = 1) => ({ ...one, world: world(rooms) });
const [cartpole, pendulum] = environments as [Environment, Environment];
const inCells = offerIn([cells(cartpole), pendulum], algorithms, [place("CartPole-v1")]);
const without = offerIn(environments, algorithms, [place("CartPole-v1")]);

/** Names of the lines, with the exploration that is sent for each. */
function sent(draft: ExperimentDraft, offer = inCells) {
  const { specification, problems } = read(draft, offer);
  expect([...problems]).toEqual([]);
  return Object.fromEntries(
    (specification.variants ?? []).map(({ name, changes }) => [name, changes?.exploration]),
  );
}

const only = (plan: object) => ({ map: false, coverage: null, novelty: null, ...plan });

test("each switch alone, all together and none are compared over enough seeds for a verdict", () => {
  const draft = withAndWithoutExploration({ ...FIRST, seeds: 1 }, inCells, limits);
  expect(sent(draft)).toEqual({
    coverage: only({ coverage: 0.1 }),
    archive: only({ archive: 0.3 }),
    novelty: only({ novelty: 0.5 }),
    imitation: only({ imitation: 10 }),
    together: only({ coverage: 0.1, archive: 0.3, novelty: 0.5, imitation: 10 }),
    without: {},
  });
  const { specification } = read(draft, inCells);
  expect(specification.seeds).toBe(6);
  expect(specification.base).not.toHaveProperty("exploration");
  expect(new Set(specification.variants?.map(({ changes }) => changes?.algo))).toEqual(
    new Set(["ppo"]),
  );
});

test("an environment without cells and an algorithm without imitation leave novelty", () => {
  const dqn = { ...FIRST, variants: [{ algo: "dqn", preset: "fast" }] };
  expect(sent(withAndWithoutExploration(dqn, without, limits), without)).toEqual({
    novelty: only({ novelty: 0.5 }),
    without: {},
  });
});

test.each([
  ["in the preset", { preset: "fast" }, true],
  ["typed", { preset: "", changes: [{ name: "normalize_observations", text: "true" }] }, false],
])("observations that are normalised (%s) leave imitation out", (_, line, inPreset) => {
  const normalising = algorithms.map((one) => ({
    ...one,
    hyperparameters: [
      ...one.hyperparameters,
      { ...one.hyperparameters[5]!, name: "normalize_observations", needs: null },
    ],
    presets: [{ ...one.presets[0]!, hyperparameters: { normalize_observations: inPreset } }],
  })) as unknown as Algorithm[];
  const bare = { ...cartpole, presets: {} };
  const offer = offerIn([bare], normalising, [place("CartPole-v1")]);
  const draft = { ...FIRST, variants: [{ algo: "ppo", ...line }] };
  const compared = withAndWithoutExploration(draft, offer, limits);
  expect(compared.variants.map(({ name }) => name)).toEqual(["novelty", "without"]);
});

test("switches that are on for all are compared with their numbers, and a map stays on", () => {
  const exploration = {
    ...explorationDraft({ map: true, novelty: 0.2, coverage: null }, limits),
    ...{ covers: true, coverage: "0.4" },
  };
  const compared = withAndWithoutExploration({ ...FIRST, exploration }, inCells, limits);
  expect(sent(compared)).toEqual({
    coverage: only({ map: true, coverage: 0.4 }),
    novelty: only({ map: true, novelty: 0.2 }),
    together: only({ map: true, coverage: 0.4, novelty: 0.2 }),
    without: only({ map: true }),
  });
});

test("a world of several rooms is mapped in each line, as in a new run", () => {
  const rooms = offerIn([cells(cartpole, 2)], algorithms, [place("CartPole-v1")]);
  expect(sent(withAndWithoutExploration(FIRST, rooms, limits), rooms)).toMatchObject({
    novelty: only({ map: true, novelty: 0.5 }),
    without: only({ map: true }),
  });
});

test("the base of a grid or a search can be compared, too", () => {
  const grid = { ...FIRST, kind: "grid" as const, base: { algo: "dqn", preset: "fast" } };
  const compared = withAndWithoutExploration(grid, inCells, limits);
  expect(compared.kind).toBe("variants");
  expect(new Set(compared.variants.map(({ algo }) => algo))).toEqual(new Set(["dqn"]));
});

test("another environment drops the lines that cannot explore there as they did", () => {
  const compared = withAndWithoutExploration(FIRST, inCells, limits);
  const moved = { ...compared, places: [place("Pendulum-v1")] };
  const there = offerIn(environments, algorithms, moved.places);
  expect(sent(movedDraft(compared, moved, inCells, there), there)).toEqual({
    novelty: only({ novelty: 0.5 }),
    imitation: only({ imitation: 10 }),
    together: only({ novelty: 0.5, imitation: 10 }),
    without: {},
  });
});

const config = (changes: object = {}) =>
  ({
    ...{ algo: "ppo", env_id: "CartPole-v1", preset: "stable", total_timesteps: 7_000 },
    ...{ hyperparameters: { gamma: 0.9, net_arch: [64, 64] }, env_options: {} },
    evaluation: { every_steps: 500, episodes: 5, stop_after: 3 },
    exploration: { map: false, coverage: 0.2, novelty: null },
    ...changes,
  }) as unknown as RunConfig;
const compare = (changes?: object) =>
  explorationComparisonOf(config(changes), algorithms, [cells(cartpole)], limits);

test("a run is compared with and without its exploration, for as long as it trains", () => {
  const { specification } = read(compare()!, inCells);
  const same = { algo: "ppo", preset: "stable", hyperparameters: { gamma: 0.9 } };
  expect(specification).toEqual({
    base: {
      ...{ env_id: "CartPole-v1", total_timesteps: 7_000 },
      evaluation: { every_steps: 500, deterministic: true },
    },
    variants: [
      { name: "coverage", changes: { ...same, exploration: only({ coverage: 0.2 }) } },
      { name: "without", changes: { ...same, exploration: {} } },
    ],
    seeds: 5,
  });
});

test("a run with a preset that is gone, and with weights of the reward, keeps its values", () => {
  const component = { name: "engine", label: "Engine", help: "" };
  const rewarded = { ...cells(cartpole), reward_components: [component] } as Environment;
  const reward = { weights: { engine: 0.5 }, caps: {} };
  const found = explorationComparisonOf(
    config({ preset: "own-gone", reward, hyperparameters: { gamma: 0.9, net_arch: [32] } }),
    algorithms,
    [rewarded],
    limits,
  );
  const offer = offerIn([rewarded], algorithms, [place("CartPole-v1")]);
  const { specification } = read(found!, offer);
  expect(specification.base?.reward).toEqual(reward);
  expect(specification.variants?.[0]?.changes).toMatchObject({
    ...{ preset: "none", hyperparameters: { gamma: 0.9, net_arch: [32] } },
  });
});

test.each([
  ["algorithm", { algo: "sac" }],
  ["environment", { env_id: "Gone-v0" }],
])("a run whose %s is not offered is not compared", (_, changes) => {
  expect(compare(changes)).toBeNull();
});

test("a line without exploration stays without it when all explore", () => {
  const exploration = explorationDraft({ map: false, novelty: 0.5, coverage: null }, limits);
  const variants = [
    { algo: "ppo", preset: "fast" },
    { algo: "ppo", preset: "fast", exploration: OFF },
  ] as const;
  const { specification } = read({ ...FIRST, exploration, variants }, without);
  expect(specification.base?.exploration).toEqual(only({ novelty: 0.5 }));
  expect(specification.variants).toEqual([
    { name: "PPO Fast", changes: { algo: "ppo", preset: "fast" } },
    {
      name: "PPO Fast, no exploration",
      changes: { algo: "ppo", preset: "fast", exploration: {} },
    },
  ]);
});

test("imitation for all is refused where a line that takes it cannot imitate", () => {
  const exploration = explorationDraft({ map: false, coverage: null, imitation: 5 }, limits);
  const problems = (draft: Partial<ExperimentDraft>) =>
    Object.fromEntries(read({ ...FIRST, exploration, ...draft }, without).problems);
  expect(problems({})).toEqual({
    "/base/exploration/imitation":
      "DQN cannot imitate. Switch it on in the lines that can, not for all.",
  });
  const [ppo] = FIRST.variants;
  expect(problems({ variants: [ppo!, { algo: "dqn", preset: "fast", exploration: OFF }] })).toEqual(
    {},
  );
});

const SET = { map: false, coverage: 0.3, novelty: null, archive: 0.5 };
const explores = (one: Environment) => ({
  ...cells(one, 2),
  presets: { ...one.presets, ppo: one.presets.ppo!.map((each) => ({ ...each, exploration: SET })) },
});
const island = offerIn([explores(cartpole)], algorithms, [place("CartPole-v1")]);

test("lines explore as their presets until exploration is edited for all", () => {
  expect(sent(FIRST, island), "a map where the preset does not explore").toEqual({
    "PPO Fast": undefined,
    "DQN Fast": only({ map: true }),
  });
  expect(read(FIRST, island).specification.base).not.toHaveProperty("exploration");
  const same = { ...FIRST, variants: [FIRST.variants[0]!, { algo: "ppo", preset: "stable" }] };
  expect(usualExploration(same, island, limits)).toMatchObject({ coverage: "0.3", returns: true });
  expect(exploresAsPresets(same, island)).toBe(true);
  const off = { ...FIRST, exploration: explorationDraft(null, limits) };
  expect(exploresAsPresets(off, island)).toBe(false);
  expect(read(off, island).specification.base).toMatchObject({ exploration: {} });
  const grid = { ...FIRST, kind: "grid" as const, grid: [{ name: "gamma", text: "0.9, 0.99" }] };
  expect(read(grid, island).specification.base).not.toHaveProperty("exploration");
});

test("the switches of a line's preset are compared", () => {
  expect(sent(withAndWithoutExploration(FIRST, island, limits), island)).toEqual({
    coverage: only({ map: true, coverage: 0.3 }),
    archive: only({ map: true, archive: 0.5 }),
    together: only({ map: true, coverage: 0.3, archive: 0.5 }),
    without: only({ map: true }),
  });
});
