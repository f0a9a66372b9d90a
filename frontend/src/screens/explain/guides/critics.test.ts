import { expect, test } from "vitest";
import { ACTIONS, choice, critics, lower, smoothed, truth } from "./td3";

const settings = { error: 0.15, noise: 0.2, clip: 0.5 };
const first = (action: number) => critics[0](action, settings.error);
const least = (action: number) => lower(action, settings);

test("a single critic overestimates where it is chosen for its error", () => {
  expect(choice(first).optimism).toBeGreaterThan(0.05);
  expect(choice(least).optimism).toBeLessThan(choice(first).optimism);
});

test("smoothing flattens narrow peaks and zero noise changes nothing", () => {
  const rough = ACTIONS.map(least);
  const smooth = ACTIONS.map(smoothed(least, settings));
  const spreadOf = (values: number[]) =>
    values.slice(1).reduce((sum, value, i) => sum + Math.abs(value - (values[i] ?? 0)), 0);
  expect(spreadOf(smooth)).toBeLessThan(spreadOf(rough) / 2);
  expect(smoothed(least, { ...settings, noise: 0 })(0.3)).toBe(least(0.3));
});

test("critics without error give the true value", () => {
  const found = choice((action) => lower(action, { ...settings, error: 0 }));
  expect(found.action).toBeCloseTo(0.15, 1);
  expect(found.promised).toBeCloseTo(truth(found.action));
});
