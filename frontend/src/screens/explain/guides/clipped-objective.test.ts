import { expect, test } from "vitest";
import { clippedObjective } from "./ppo";

test.each([
  ["a good action, made a little likelier", 1.1, 1, 1.1, "up", false],
  ["a good action, made too much likelier", 1.5, 1, 1.2, "clipped", true],
  ["a good action that became unlikely is pulled back", 0.5, 2, 1, "up", true],
  ["a bad action, made a little less likely", 0.9, -1, -0.9, "down", false],
  ["a bad action, made too much less likely", 0.5, -1, -0.8, "clipped", true],
  ["a bad action that became likely is pushed away, unbounded", 2, -1, -2, "down", true],
  ["an action no better than expected", 1.5, 0, 0, "none", true],
] as const)("%s", (_, ratio, advantage, value, pull, outside) => {
  const found = clippedObjective({ ratio, advantage, clip: 0.2 });
  expect(found.value).toBeCloseTo(value);
  expect(found).toMatchObject({ pull, outside });
});

test("the objective is never above the unclipped one and its slope is its derivative", () => {
  for (let ratio = 0.05; ratio < 2; ratio += 0.1) {
    for (const advantage of [-2, -0.5, 0.5, 2]) {
      const at = (r: number) => clippedObjective({ ratio: r, advantage, clip: 0.2 });
      const { value, unclipped, slope } = at(ratio);
      expect(value).toBeLessThanOrEqual(unclipped + 1e-12);
      expect((at(ratio + 1e-6).value - value) / 1e-6).toBeCloseTo(slope, 3);
    }
  }
});
