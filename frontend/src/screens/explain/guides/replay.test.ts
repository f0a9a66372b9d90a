import { expect, test } from "vitest";
import {
  bufferWindow,
  epsilonAt,
  gradientStepsAt,
  randomShareOfBuffer,
  replaysAt,
  type Schedule,
} from "./replay";

const schedule: Schedule = {
  totalTimesteps: 100_000,
  initialEps: 1,
  finalEps: 0.1,
  fraction: 0.2,
  bufferSize: 50_000,
  learningStarts: 1_000,
  environments: 1,
  trainFreq: 4,
  gradientSteps: 1,
  batchSize: 64,
};

test.each([
  [0, 1],
  [10_000, 0.55],
  [20_000, 0.1],
  [100_000, 0.1],
])("after %i steps epsilon is %f", (step, epsilon) =>
  expect(epsilonAt(step, schedule)).toBeCloseTo(epsilon),
);

test("the buffer fills and then drops its oldest transitions", () => {
  expect(bufferWindow(30_000, schedule)).toEqual([0, 30_000]);
  expect(bufferWindow(80_000, schedule)).toEqual([30_000, 80_000]);
});

test("the contents are as random as the steps that collected them", () => {
  expect(randomShareOfBuffer(500, schedule)).toBe(1);
  expect(randomShareOfBuffer(100_000, schedule)).toBeCloseTo(0.1);
  // The first 1,000 are all random, then the fall from 0.955 to 0.1, then 0.1.
  const all = { ...schedule, bufferSize: 1_000_000 };
  const expected = (1_000 + 19_000 * ((0.955 + 0.1) / 2) + 80_000 * 0.1) / 100_000;
  expect(randomShareOfBuffer(100_000, all)).toBeCloseTo(expected, 2);
});

test("learning starts at its configured step and replays each transition as often as configured", () => {
  expect(gradientStepsAt(1_000, schedule)).toBe(0);
  expect(gradientStepsAt(100_000, schedule)).toBe(24_750);
  expect(gradientStepsAt(100_000, { ...schedule, gradientSteps: -1 })).toBe(99_000);
  expect(gradientStepsAt(100_000, { ...schedule, environments: 4 })).toBe(6_187);
  expect(replaysAt(100_000, schedule)).toBeCloseTo(15.84);
  expect(replaysAt(0, schedule)).toBe(0);
});
