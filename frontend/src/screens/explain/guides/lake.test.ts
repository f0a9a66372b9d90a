import { expect, test } from "vitest";
import { best, isTheLake, learn, type Learning, move, tile } from "./lake";

const settings: Learning = {
  episodes: 1_000,
  alpha: 0.5,
  gamma: 0.9,
  initialEps: 1,
  finalEps: 0.1,
  fraction: 0.5,
  plannedEpisodes: 1_000,
  slippery: false,
};

test("walls block movement and the map is FrozenLake's", () => {
  expect(move(0, 0)).toBe(0);
  expect(move(0, 2)).toBe(1);
  expect(move(0, 1)).toBe(4);
  expect([0, 5, 7, 11, 12, 15].map(tile).join("")).toBe("SHHHHG");
});

test("without ice it finds the shortest path, discounted by its length", () => {
  const { table, reached } = learn(settings);
  expect(best(table[0] ?? [])).toBeCloseTo(0.9 ** 5, 3);
  expect(best(table[14] ?? [])).toBeCloseTo(1, 3);
  expect(reached).toBeGreaterThan(100);
  let state = 0;
  for (let steps = 0; steps < 6; steps++) {
    const row = table[state] ?? [];
    state = move(state, row.indexOf(best(row)));
  }
  expect(tile(state)).toBe("G");
});

test("values are zero before the goal is reached and the same settings learn the same", () => {
  expect(
    learn({ ...settings, episodes: 0 })
      .table.flat()
      .every((value) => value === 0),
  ).toBe(true);
  expect(learn(settings)).toEqual(learn(settings));
});

test("ice makes every path worth less", () => {
  const icy = learn({ ...settings, alpha: 0.1, slippery: true });
  expect(best(icy.table[0] ?? [])).toBeLessThan(0.4);
});

test("a different map is recognised as another lake", () => {
  expect(isTheLake(["SFFF", "FHFH", "FFFH", "HFFG"])).toBe(true);
  expect(isTheLake(["SFFF", "FHFH", "FFFH", "FFFG"])).toBe(false);
  expect(isTheLake(["SFFFHFFF", "FFFFFFFF"])).toBe(false);
});
