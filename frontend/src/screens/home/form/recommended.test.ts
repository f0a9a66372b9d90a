import { describe, expect, test } from "vitest";
import { changeDraft, type DraftChange, firstDraft } from "./draft";
import { choices } from "./fixtures";

const [cartpole, pendulum] = choices.environments;

describe("a draft starts with a preset measured to work", () => {
  const works = (environment: (typeof choices.environments)[number], algo: string, at: string) => ({
    ...environment,
    recommended_algorithm: algo,
    presets: {
      ...environment.presets,
      [algo]: environment.presets[algo]!.map((one) => ({ ...one, recommended: one.id === at })),
    },
  });
  const measured = {
    ...choices,
    environments: [works(cartpole!, "dqn", "high-score"), works(pendulum!, "sac", "stable")],
  };
  const toPendulum: DraftChange = { field: "env", value: "Pendulum-v1" };

  test("in every environment", () => {
    const draft = firstDraft(measured);
    expect(draft).toMatchObject({ algo: "dqn", preset: "high-score" });
    expect(changeDraft(measured, draft, toPendulum)).toMatchObject({
      algo: "sac",
      preset: "stable",
    });
  });

  test("until the user chooses, and a choice is kept if it is available", () => {
    const wanted = changeDraft(measured, firstDraft(measured), { field: "algo", value: "ppo" });
    expect(wanted).toMatchObject({ algo: "ppo", preset: "fast" });
    const chosen = changeDraft(measured, wanted, { field: "preset", value: "stable" });
    expect(changeDraft(measured, chosen, toPendulum)).toMatchObject({
      algo: "ppo",
      preset: "stable",
    });
  });
});
