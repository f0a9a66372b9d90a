import { expect, test } from "vitest";
import { aRun } from "./fixtures";
import { missingSeeds } from "./missing-seeds";

const run = (id: string, group: string, change = {}) => aRun(id, { group_id: group, ...change });

test("every group lacks what it has not of five seeds", () => {
  const runs = [run("a", "a"), run("b", "b"), run("c", "b"), run("d", "d")];
  expect(missingSeeds(runs, 5)).toEqual([
    { runId: "a", count: 4 },
    { runId: "b", count: 3 },
    { runId: "d", count: 4 },
  ]);
});

test("seeds of one group are compared with nothing, and five are enough", () => {
  expect(missingSeeds([run("a", "a"), run("b", "a")], 5)).toEqual([]);
  const five = [1, 2, 3, 4, 5].map((seed) => run(`a${seed}`, "a"));
  expect(missingSeeds([...five, run("b", "b")], 5)).toEqual([{ runId: "b", count: 4 }]);
});

test("what cannot be repeated with another seed is left out", () => {
  const forked = { parent: { run_id: "x", snapshot: "s", step: 1 } };
  const runs = [run("a", "a", forked), run("b", "b", { actor: "human" }), run("c", "c")];
  expect(missingSeeds(runs, 5)).toEqual([{ runId: "c", count: 4 }]);
});
