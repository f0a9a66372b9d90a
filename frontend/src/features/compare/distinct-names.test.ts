import { expect, test } from "vitest";
import { withDistinctNames } from "./distinct-names";

const names = (...runs: [id: string, name: string, seed: number][]) =>
  withDistinctNames(runs.map(([id, name, seed]) => ({ id, name, seed }))).map(({ name }) => name);

test("runs of one name are told apart by their seeds, else by their ids", () => {
  expect(names(["ppo-1111", "A", 1], ["ppo-2222", "B", 1])).toEqual(["A", "B"]);
  expect(names(["ppo-1111", "A", 1], ["ppo-2222", "A", 2], ["ppo-3333", "B", 1])).toEqual([
    "A (seed 1)",
    "A (seed 2)",
    "B",
  ]);
  expect(names(["ppo-1111", "A", 1], ["ppo-2222", "A", 1])).toEqual(["A (1111)", "A (2222)"]);
});
