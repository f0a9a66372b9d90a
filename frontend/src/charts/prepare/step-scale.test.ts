import { expect, test } from "vitest";
import { episodeScale, stepScale, timeScale } from "./axes";

/** Episodes 1, 2 and 4 ended after 10, 30 and 100 steps, and after 1, 2 and 6 seconds. */
const episodes = { x: [10, 30, 40, 100], y: [1, 2, null, 4] };
const seconds = { x: [1, 2, 6], y: [1, 2, 4] };

test("by steps, only past steps can be chosen", () => {
  const { stepAt, placeOf } = stepScale(100);
  expect([0, 65, 100, 400].map(stepAt)).toEqual([0, 65, 100, 100]);
  expect(placeOf(400)).toBe(400);
});

test("by episodes, steps and positions map to each other", () => {
  const { stepAt, placeOf } = episodeScale(episodes);
  expect([0, 10, 20, 65, 100].map(placeOf)).toEqual([0, 1, 1.5, 3, 4]);
  expect([0, 1, 1.5, 3, 4].map(stepAt)).toEqual([0, 10, 20, 65, 100]);
});

test("by time, steps are placed at the episodes that had ended", () => {
  const { stepAt, placeOf } = timeScale(episodes, seconds);
  expect([0, 10, 20, 65, 100].map(placeOf)).toEqual([0, 1, 1.5, 4, 6]);
  expect([0, 1, 1.5, 4, 6].map(stepAt)).toEqual([0, 10, 20, 65, 100]);
});

test("the axis ends at the current step even if no episode ended there", () => {
  const scales = [episodeScale(episodes, 120), timeScale(episodes, seconds, 120)];
  expect(scales.map(({ stepAt }) => stepAt(6))).toEqual([120, 120]);
  expect(scales.map(({ placeOf }) => placeOf(110))).toEqual([4, 6]);
});

test("positions beyond the last known one are at its end", () => {
  const { stepAt, placeOf } = episodeScale(episodes);
  expect([stepAt(9), placeOf(500)]).toEqual([100, 4]);
  expect(episodeScale({ x: [], y: [] }).stepAt(3)).toBe(0);
});
