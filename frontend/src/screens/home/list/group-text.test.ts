import { expect, test } from "vitest";
import type { SeedGroup } from "@/api/types";
import { groupProgressText, intervalText, statusCounts } from "./group-cells";

const group = (change: Partial<SeedGroup> = {}) =>
  ({
    id: "a",
    run_ids: ["a", "b", "c"],
    statuses: { completed: 1, running: 2 },
    step: 1500,
    end_step: 3000,
    ended: 1,
    scored: 3,
    iqm: 461.23,
    low: 420,
    high: 492.1,
    ...change,
  }) as SeedGroup;

test("the statuses of a group are listed in the order of a run's life", () =>
  expect(statusCounts(group())).toEqual([
    ["running", 2],
    ["completed", 1],
  ]));

test("a training group shows its progress, and an ended one how far it went", () => {
  expect(groupProgressText(group())).toEqual({ done: "50% in total", note: "1 of 3 ended" });
  expect(groupProgressText(group({ end_step: 0 }))).toEqual({
    done: "1.5k steps in total",
    note: "",
  });
  expect(groupProgressText(group({ ended: 3, step: 3000 }))).toEqual({
    done: "3k steps in total",
    note: "",
  });
});

test("one seed has no interval", () => {
  expect(intervalText(group())).toBe("461.2 [420.0, 492.1]");
  const one = group({ scored: 1, low: null, high: null });
  expect(intervalText(one)).toBe("461.2");
  expect(intervalText(group({ iqm: null }))).toBe("–");
});
