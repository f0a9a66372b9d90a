import { expect, test } from "vitest";
import { changeDraft, firstDraft } from "./draft";
import { choices as all } from "./fixtures";
import { roundingNote, shortTrainingWarning } from "./length-field";

const choices = {
  ...all,
  algorithms: all.algorithms.map((one) => ({
    ...one,
    rollout_factors: one.id === "ppo" ? ["n_steps"] : [],
    short_training:
      one.id === "ppo"
        ? {
            fewest_updates: 5,
            few: "{updates} rounds in rollouts of {rollout}, give {enough}",
            single: "one round in rollouts of {rollout}",
            nothing: "nothing is learned",
          }
        : null,
  })),
};
const draft = changeDraft(choices, firstDraft(choices), {
  ...{ field: "hyperparameters", name: "n_steps", value: "16384" },
});

test.each([
  [20_000, "rounded up to 2 rollouts = 32,768"],
  [100, "rounded up to 1 rollout = 16,384"],
  [32_768, null],
  [Number.NaN, null],
])("%j steps in rollouts of 16,384: %s", (timesteps, note) =>
  expect(roundingNote(choices, draft, timesteps)).toBe(note),
);

test.each([
  [100, "one round in rollouts of 16,384"],
  [20_000, "2 rounds in rollouts of 16,384, give 81,920"],
  [81_920, null],
  [Number.NaN, null],
])("%j steps in rollouts of 16,384 are warned of: %s", (timesteps, warning) =>
  expect(shortTrainingWarning(choices, draft, timesteps)).toBe(warning),
);

test("a single rollout with a linear schedule learns nothing", () => {
  const scheduled = {
    ...choices,
    algorithms: choices.algorithms.map((one) => ({
      ...one,
      hyperparameters: [
        ...one.hyperparameters,
        { ...one.hyperparameters[0]!, name: "learning_rate_schedule", default: "linear" },
      ],
    })),
  };
  expect(shortTrainingWarning(scheduled, draft, 100)).toBe("nothing is learned");
  const constant = changeDraft(scheduled, draft, {
    ...{ field: "hyperparameters", name: "learning_rate_schedule", value: "constant" },
  });
  expect(shortTrainingWarning(scheduled, constant, 100)).toContain("one round");
});

test("the rollout length follows the input, and the preset while the input is invalid", () => {
  const typed = (value: string) =>
    changeDraft(choices, draft, { field: "hyperparameters", name: "n_steps", value });
  expect(roundingNote(choices, typed("1000"), 2500)).toContain("3 rollouts = 3,000");
  expect(roundingNote(choices, typed("x"), 3000)).toContain("2 rollouts = 4,096");
});

test("an algorithm that learns from single steps ends at the requested step", () => {
  const dqn = changeDraft(choices, draft, { field: "algo", value: "dqn" });
  expect(roundingNote(choices, dqn, 12_345)).toBeNull();
});
