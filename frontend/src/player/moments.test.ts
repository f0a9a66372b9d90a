import { expect, test } from "vitest";
import type { Clip, KeptPolicy } from "@/api/types";
import { frames, nextToFilm, policyAfter, policyAt } from "./film";

const policies = [0, 100, 120, 500, 1_000].map((step) => ({ step }) as KeptPolicy);
const clip = (step: number | null, thumbnail_url: string | null = `/${step}.webp`) =>
  ({ step, thumbnail_url }) as Clip;

test("the policy of a moment is the newest that is not beyond it", () => {
  expect(policyAt(policies, 119)?.step).toBe(100);
  expect(policyAt(policies, 120)?.step).toBe(120);
  expect(policyAt(policies, 9_999)?.step).toBe(1_000);
  expect(policyAt(policies.slice(1), 5)?.step).toBe(100);
  expect(policyAt([], 5)).toBeUndefined();
});

test("arrow keys go from policy to policy and stop at the ends", () => {
  expect(policyAfter(policies, 110, 1)?.step).toBe(120);
  expect(policyAfter(policies, 120, -1)?.step).toBe(100);
  expect(policyAfter(policies, 0, -1)?.step).toBe(0);
  expect(policyAfter(policies, 1_000, 5)?.step).toBe(1_000);
});

test("each place of the strip shows the last policy of its part, one with a picture if there is any", () => {
  const shown = frames(policies, [clip(100), clip(500, null), clip(null)], [0, 1_000], 4);
  expect(shown.map(({ policy, picture }) => [policy.step, picture])).toEqual([
    [100, "/100.webp"],
    [500, null],
    [1_000, null],
  ]);
  expect(shown.map(({ share }) => share)).toEqual([0.125, 0.625, 0.875]);
});

test("zoomed in, the strip shows what lies there alone", () => {
  const shown = frames(policies, [], [90, 130], 2);
  expect(shown.map(({ policy }) => policy.step)).toEqual([100, 120]);
});

test("along another axis, the strip shows each policy where its step lies", () => {
  const perEpisode = (step: number) => step / 10;
  const shown = frames(policies, [], [0, 100], 4, perEpisode);
  expect(shown.map(({ policy }) => policy.step)).toEqual([120, 500, 1_000]);
});

test("policies are filmed evenly along the training, the last one first, and none twice", () => {
  expect(nextToFilm(policies, [], 3)?.step).toBe(1_000);
  expect(nextToFilm(policies, [clip(1_000)], 3)?.step).toBe(500);
  expect(nextToFilm(policies, [clip(1_000), clip(500), clip(0)], 3)).toBeUndefined();
  expect(nextToFilm([], [], 3)).toBeUndefined();
});
