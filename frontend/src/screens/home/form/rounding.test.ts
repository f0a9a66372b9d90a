import { expect, test } from "vitest";
import { changeDraft, firstDraft } from "./draft";
import { choices as all } from "./fixtures";
import { roundingNote } from "./length-field";

const choices = {
  ...all,
  algorithms: all.algorithms.map((one) => ({
    ...one,
    rollout_factors: one.id === "ppo" ? ["n_steps"] : [],
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

test("what a rollout is follows what is typed, and the preset's value while that is no number", () => {
  const typed = (value: string) =>
    changeDraft(choices, draft, { field: "hyperparameters", name: "n_steps", value });
  expect(roundingNote(choices, typed("1000"), 2500)).toContain("3 rollouts = 3,000");
  expect(roundingNote(choices, typed("x"), 3000)).toContain("2 rollouts = 4,096");
});

test("an algorithm that learns from single steps ends where it was asked to", () => {
  const dqn = changeDraft(choices, draft, { field: "algo", value: "dqn" });
  expect(roundingNote(choices, dqn, 12_345)).toBeNull();
});
