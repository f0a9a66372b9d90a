import { expect, test } from "vitest";
import { TrainingClock } from "./run-series";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const pausedOnce = new TrainingClock([
  { started_at: at(100), ended_at: at(110) },
  { started_at: at(500), ended_at: null },
]);

test("a pause takes no training time", () => {
  expect([100, 104, 110, 300, 500, 507].map((time) => pausedOnce.at(time))).toEqual([
    0, 4, 10, 10, 10, 17,
  ]);
});

test("times before the first or after the last attempt are clamped", () => {
  const ended = new TrainingClock([{ started_at: at(100), ended_at: at(110) }]);
  expect([0, 700].map((time) => ended.at(time))).toEqual([0, 10]);
});

test("without an attempt the first row is the start", () => {
  const clock = new TrainingClock([]);
  expect([7, 9].map((time) => clock.at(time))).toEqual([0, 2]);
});
