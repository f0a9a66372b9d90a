import { expect, test } from "vitest";
import type { StepRecord } from "@/api/types";
import { partOf } from "@/player/video/playback-controller";
import { align, firstDifference } from "./side-by-side-dialog";

const acting = (...actions: unknown[]) =>
  [null, ...actions].map((action, index) => ({ index, action })) as StepRecord[];

test("the first step with different actions is found; the reset has none", () => {
  expect(firstDifference(acting(0, 1, 1, 0), acting(0, 1, 0, 0), false)).toBe(3);
  expect(firstDifference(acting(1), acting(0), false)).toBe(1);
});

test("episodes with equal actions until one ends have no difference", () => {
  expect(firstDifference(acting(0, 1), acting(0, 1, 1), false)).toBeNull();
});

test("several discrete actions differ if one of them does", () => {
  expect(firstDifference(acting([30, 1]), acting([31, 1]), false)).toBe(1);
});

test("continuous actions differ if a component differs by more than a twentieth of its range", () => {
  const one = acting([-1, 0], [1, 0.5], [0.5, 1]);
  expect(firstDifference(one, acting([-1, 0], [0.95, 0.5], [0.5, 1]), true)).toBeNull();
  expect(firstDifference(one, acting([-1, 0], [1, 0.5], [0.5, 0.9]), true)).toBe(3);
});

test("playback starts a second before the state of the differing choice, if there is one", () => {
  expect(align(120, 50)).toEqual({ from: 69, decision: 119 });
  expect(align(3, 50)).toEqual({ from: 0, decision: 2 });
  expect(align(null, 50)).toEqual({ from: 0, decision: null });
});

test("the part of the video ends within the last frame of the episode", () => {
  const { start, duration } = partOf({ first_frame: 201, episode_length: 100 }, 50, 50);
  expect(start).toBe(251 / 50);
  expect((start + duration) * 50).toBeCloseTo(201 + 100 + 0.5);
});
