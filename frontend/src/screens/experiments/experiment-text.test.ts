import { expect, test } from "vitest";
import type { Experiment } from "@/api/types";
import {
  costMade,
  costText,
  doneText,
  estimateText,
  factText,
  leftText,
  trialsMade,
} from "./experiment-text";

test("states the outcomes of the trials", () => {
  expect(doneText({ counts: {}, trials: 1 })).toBe("0 of 1 trial scored");
  expect(doneText({ counts: { scored: 3, failed: 1, training: 2 }, trials: 10 })).toBe(
    "3 of 10 trials scored, 1 failed",
  );
});

test.each([
  [98_304, "6 runs, 98.3k steps in total"],
  [24_000, "6 runs, 24k to 98.3k steps in total"],
])("states what would be trained, from %i steps on", (least, text) => {
  const steps = { total_timesteps: 98_304, least_timesteps: least };
  expect(estimateText({ ...steps, trials: 6, length_note: null, core_seconds: null })).toBe(text);
});

test("states the processor time of what would be trained, once it is known", () => {
  const steps = { total_timesteps: 98_304, least_timesteps: 98_304 };
  expect(estimateText({ ...steps, trials: 6, length_note: null, core_seconds: 754.2 })).toBe(
    "6 runs, 98.3k steps in total, about 13m of processor time",
  );
});

test("states the duration and the cost", () => {
  expect(leftText({ seconds_left: 125 })).toBe("2m 05s left");
  expect(leftText({ seconds_left: null })).toBeNull();
  expect(costText({ core_seconds: 1112.6, status: "completed" })).toBe("1,113 core-seconds");
  expect(costText({ core_seconds: 0.9, status: "stopped" })).toBe("1 core-second");
  expect(costText({ core_seconds: 57, status: "running" })).toBe("about 57 core-seconds");
});

test("states what is compared or searched, where and at what cost", () => {
  const variant = (env_id: string) => ({ env_id }) as Experiment["variants"][number];
  const common = {
    core_seconds: 9.2,
    specification: { base: { algo: "qlearning", env_id: "Taxi-v4" } },
  };
  const compared = { ...common, variants: [variant("A-v1"), variant("A-v1")], seeds: [0, 1, 2] };
  const names = () => "Q-learning";
  expect(factText({ ...compared, searches: false } as Experiment, names)).toEqual([
    "2 variants × 3 seeds",
    "A-v1",
    "9 core-seconds",
  ]);
  const searched = { ...common, variants: [], seeds: [0], searches: true };
  expect(factText(searched as unknown as Experiment, names)).toEqual([
    "Search",
    "Q-learning",
    "Taxi-v4",
    "9 core-seconds",
  ]);
});

test("states the number and origin of the trials", () => {
  const counted = { counts: { scored: 3, failed: 1, waiting: 4, skipped: 2 }, trials: 10 };
  expect(costMade(counted)).toMatch(/^Core-seconds are .*\(n = 4; source: docs\/experiments.md\)$/);
  expect(trialsMade(counted)).toMatch(/^Each cell is .*\(n = 4; source: docs\/experiments.md\)$/);
});
