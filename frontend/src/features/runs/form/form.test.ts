import { describe, expect, test } from "vitest";
import { changeDraft, type Draft, type DraftChange, firstDraft, timestepsOf } from "./draft";
import { choices } from "./fixtures";
import { describeBounds, parseHyperparameter, parseInteger } from "./parse";
import { submission, unplaced } from "./submit";

const draftAfter = (...changes: DraftChange[]): Draft =>
  changes.reduce((draft, change) => changeDraft(choices, draft, change), firstDraft(choices));
const set = (name: string, value: string): DraftChange => ({
  field: "hyperparameter",
  name,
  value,
});

describe("a draft", () => {
  test("is ready to be sent as it stands", () => {
    expect(submission(choices, firstDraft(choices))).toEqual({
      body: {
        algo: "ppo",
        env_id: "CartPole-v1",
        preset: "fast",
        seed: null,
        total_timesteps: 30_000,
        hyperparameters: {},
        start: true,
      },
    });
  });

  test("takes the values of a preset that is chosen, whatever was typed before", () => {
    const typed = draftAfter({ field: "timesteps", value: "5" }, set("n_steps", "128"));
    expect(timestepsOf(choices, typed)).toBe("5");
    const chosen = changeDraft(choices, typed, { field: "preset", value: "stable" });
    expect(timestepsOf(choices, chosen)).toBe("100000");
    expect(chosen.overrides).toEqual({});
  });

  test("keeps a preset the other algorithm also has, and the seed", () => {
    const draft = draftAfter(
      { field: "seed", value: "7" },
      { field: "preset", value: "stable" },
      { field: "algo", value: "dqn" },
    );
    expect(draft).toMatchObject({ algo: "dqn", preset: "stable", seed: "7" });
  });

  test("falls to the first preset where the chosen one does not exist", () => {
    expect(draftAfter({ field: "algo", value: "dqn" }).preset).toBe("stable");
  });
});

describe("a submission", () => {
  test("sends changed hyperparameters in their own types", () => {
    const draft = draftAfter(
      set("learning_rate", "3e-4"),
      set("n_steps", "512"),
      set("net_arch", "32, 32"),
      set("target_kl", ""),
      set("schedule", "linear"),
    );
    expect(submission(choices, draft)).toMatchObject({
      body: {
        hyperparameters: {
          learning_rate: 0.0003,
          n_steps: 512,
          net_arch: [32, 32],
          target_kl: null,
          schedule: "linear",
        },
      },
    });
  });

  test("names every bad field by its pointer", () => {
    const draft = draftAfter(
      { field: "timesteps", value: "99" },
      { field: "seed", value: "seven" },
      set("learning_rate", "0"),
      set("n_steps", "2.5"),
    );
    expect(submission(choices, draft)).toEqual({
      problems: {
        "/total_timesteps": "Must be 100 to 1,000,000",
        "/seed": "Enter a whole number",
        "/hyperparameters/learning_rate": "Must be above 0, at most 1",
        "/hyperparameters/n_steps": "Enter a whole number",
      },
    });
  });

  test.each(["-1", "1.5", "2147483648", "1e40", "0x"])("refuses %s as a seed", (value) => {
    expect(submission(choices, draftAfter({ field: "seed", value }))).toHaveProperty("problems");
  });

  test("problems without a field are told apart from those that have one", () => {
    const problems = { "/seed": "bad", "/name": "too long", "": "not today" };
    expect(unplaced(problems, ["/seed"])).toEqual(["name: too long", "not today"]);
  });
});

test.each([
  [{ minimum: 1, maximum: 5000 }, "1 to 5,000"],
  [{ exclusive_minimum: 0, maximum: 1 }, "above 0, at most 1"],
  [{ minimum: 0, exclusive_maximum: 1 }, "at least 0, below 1"],
  [{}, ""],
])("bounds %j read %s", (bounds, text) => expect(describeBounds(bounds)).toBe(text));

test("an empty value is only none where none is allowed", () => {
  const [rate, , kl, , schedule] = choices.algorithms[0]!.hyperparameters;
  expect(parseHyperparameter(kl!, "none")).toEqual({ ok: true, value: null });
  expect(parseHyperparameter(rate!, "").ok).toBe(false);
  expect(parseHyperparameter(schedule!, " ").ok).toBe(false);
});

test.each(["50000", "50,000", "50_000", "5e4", " 50000 "])("%j is fifty thousand", (text) => {
  expect(parseInteger(text, {})).toEqual({ ok: true, value: 50_000 });
});

test.each(["", " ", "0x10", "5,00", "1.5", "Infinity", "1e"])("%j is no whole number", (text) => {
  expect(parseInteger(text, {}).ok).toBe(false);
});
