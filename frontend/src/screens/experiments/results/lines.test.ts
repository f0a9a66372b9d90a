import { expect, test } from "vitest";
import type { ExperimentResults } from "@/api/types";
import fixture from "./fixture.json";
import { profileLines } from "./profile-card";
import { arrivalLines } from "./steps-table";

const results = fixture as unknown as ExperimentResults;

test("solved seeds step the line up and unsolved ones are ticks on it", () => {
  const [ppo, dqn] = arrivalLines(results);
  expect(ppo!.label).toBe("PPO: 5 of 5");
  expect(ppo!.points.slice(0, 3).map(([x, y]) => [x, Number(y.toFixed(6))])).toEqual([
    [0, 0],
    [2000, 0],
    [2000, 0.2],
  ]);
  expect(ppo!.points.at(-1)).toEqual([2400, 1]);
  expect(ppo!.strokes).toEqual([]);
  expect(ppo!.band[0]![1]).toBeCloseTo(1 - 0.969, 3);
  expect(dqn!.points).toEqual([
    [0, 0],
    [4000, 0],
  ]);
  expect(dqn!.strokes).toHaveLength(5);
  expect(dqn!.strokes![0]).toEqual({
    at: [[4000, 0]],
    says: "Seed 0: threshold not reached when training ended, after 4k steps",
  });
});

test("a profile falls in vertical steps: no two points differ in both value and share", () => {
  for (const { points, band } of profileLines(results)) {
    expect(points).toHaveLength(2 * results.profiles.value.length - 1);
    for (const [i, [x, y]] of points.entries()) {
      const [before, level] = points[i - 1] ?? [x, y];
      expect(before === x || level === y).toBe(true);
    }
    for (const [i, [x, , high]] of band.entries()) {
      const [before, , level] = band[i - 1] ?? [x, 0, high];
      expect(before === x || level === high).toBe(true);
    }
  }
});

test("a variant has the same colour in every picture", () => {
  const [ppo, dqn] = profileLines(results);
  expect([ppo!.style, dqn!.style]).toEqual(arrivalLines(results).map(({ style }) => style));
  expect(ppo!.style).not.toBe(dqn!.style);
});
