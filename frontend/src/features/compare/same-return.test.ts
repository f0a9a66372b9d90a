import { expect, test } from "vitest";
import { compared, comparison } from "./fixtures";
import { returnRange, stepOfReturn } from "./same-return";

const runs = [
  compared("a", 0, { y: [null, 10, 30, 20, 50] }),
  compared("b", 0, { y: [5, 8, 12, null, null] }),
];
const both = comparison(runs, { steps: [0, 100, 200, 300, 400] });
const environment = (title: string) => ({ title, run_ids: ["a"], threshold: null });

test("a run has reached a return at the first step at which its mean is as high", () => {
  expect(stepOfReturn(both, "a", 20)).toBe(200);
  expect(stepOfReturn(both, "a", 50)).toBe(400);
  expect(stepOfReturn(both, "b", 5)).toBe(0);
});

test("a run that never had a return, or is not known yet, has no step of it", () => {
  expect(stepOfReturn(both, "b", 13)).toBeNull();
  expect(stepOfReturn(both, "c", 1)).toBeNull();
});

test("returns go from the least to the largest of all runs", () => {
  expect(returnRange({ ...both, environments: [environment("A")] })).toEqual([5, 50]);
});

test("returns of different environments, or of none, cannot be compared", () => {
  expect(returnRange({ ...both, environments: ["A", "B"].map(environment) })).toBeNull();
  expect(returnRange(comparison([], { environments: [] }))).toBeNull();
});
