import { expect, test } from "vitest";
import type { KeptPolicy } from "@/api/types";
import { compared, comparison } from "./fixtures";
import { comparesReturns, firstPolicyFrom, reachedReturn, returnsOf } from "./same-return";

const both = {
  steps: [0, 100, 200, 300, 400],
  runs: [
    { id: "a", y: [null, 10, 30, 20, 50] },
    { id: "b", y: [5, 8, 12, null, null] },
  ],
};
const environment = (title: string) => ({ title, run_ids: ["a"], threshold: null });

test("a run reaches a return at the first step whose mean is as high", () => {
  expect(reachedReturn(both, "a", 20).step).toBe(200);
  expect(reachedReturn(both, "a", 50).step).toBe(400);
  expect(reachedReturn(both, "b", 5).step).toBe(0);
});

test("a run that never reached the return has a known best", () => {
  expect(reachedReturn(both, "b", 13)).toEqual({ step: null, best: 12 });
  expect(reachedReturn(both, "c", 1)).toEqual({ step: null, best: null });
});

test("the policy of a return is the first stored one after reaching it", () => {
  const policies = [0, 90, 210, 400].map((step) => ({ step }) as KeptPolicy);
  expect(firstPolicyFrom(policies, 100)?.step).toBe(210);
  expect(firstPolicyFrom(policies, 90)?.step).toBe(90);
  expect(firstPolicyFrom(policies, 450)?.step).toBe(400);
  expect(firstPolicyFrom([], 0)).toBeUndefined();
});

test("the range of returns spans all runs, and all runs had the shared one", () => {
  expect(returnsOf(both)).toEqual({ least: 5, largest: 50, shared: 12 });
  expect(returnsOf({ steps: [], runs: [{ id: "a", y: [null] }] })).toBeNull();
});

test("returns of different or unknown environments cannot be compared", () => {
  const of = (...titles: string[]) =>
    comparison([compared("a", 10)], { environments: titles.map(environment) });
  expect(comparesReturns(of("A"))).toBe(true);
  expect(comparesReturns(of("A", "B"))).toBe(false);
  const none = compared("a", 0, { best_moving_average: null });
  expect(comparesReturns(comparison([none], { environments: [environment("A")] }))).toBe(false);
});
