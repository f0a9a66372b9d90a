import { describe, expect, test } from "vitest";
import type { Rule, RunDetail } from "@/api/types";
import { firstDraft } from "./draft";
import { draftFromRun, savedDraft, saveDraft } from "./draft-storage";
import { choices, exploring } from "./fixtures";
import { submission } from "./submit";

const typed = { ...firstDraft(choices), seed: "7" };

const RULE: Rule = {
  when: { kind: "seconds", seconds: 1200 },
  do: [{ kind: "stop", then: "report", grace_seconds: 0 }],
  at_most: 1,
};

describe("a run that is duplicated", () => {
  const run = (config: object) =>
    ({
      name: "First try",
      config: {
        algo: "ppo",
        env_id: "CartPole-v1",
        preset: "fast",
        seed: 7,
        total_timesteps: 30_000,
        hyperparameters: { learning_rate: 0.001, n_steps: 512, net_arch: [64, 64], gone: 1 },
        ...config,
      },
    }) as unknown as RunDetail;

  test("fills in the form with its differences from its preset", () => {
    expect(draftFromRun(choices, run({}))).toMatchObject({
      name: "First try (copy)",
      preset: "fast",
      seed: "7",
      timesteps: null,
      hyperparameters: { n_steps: "512" },
    });
    expect(draftFromRun(choices, run({ total_timesteps: 500 }))?.timesteps).toBe("500");
  });

  test("without a preset keeps all its values instead of those of the first preset", () => {
    const draft = draftFromRun(
      choices,
      run({ preset: null, hyperparameters: { learning_rate: 0.0003 } }),
    );
    expect(draft).toMatchObject({ preset: "fast", hyperparameters: { learning_rate: "0.0003" } });
  });

  test("brings its options and its evaluation", () => {
    const evaluation = { every_steps: 2000, episodes: 3, stop_after: 2, deterministic: false };
    const draft = draftFromRun(
      choices,
      run({ env_id: "Pendulum-v1", preset: "stable", env_options: { g: 9.81 }, evaluation }),
    );
    expect(draft).toMatchObject({
      env_options: { g: "9.81" },
      evaluation: {
        on: true,
        every: "2000",
        episodes: "3",
        sampled: true,
        stops: true,
        stopAfter: "2",
      },
    });
  });

  test("is delivered to the same sinks as the run", () => {
    const draft = draftFromRun(choices, run({}), [], ["mlflow"])!;
    expect(submission(choices, draft).body.sinks).toEqual(["mlflow"]);
  });

  test("brings its rules, separate from rules added in the form", () => {
    const draft = draftFromRun(choices, run({}), [RULE, RULE])!;
    expect(submission(choices, draft).body.rules).toEqual([RULE, RULE]);
    expect(new Set(draft.rules.map(({ key }) => key)).size).toBe(2);
  });

  test("brings the recording of updates if it differs from the default", () => {
    expect(draftFromRun(choices, run({ anatomy: false }))).toMatchObject({ anatomy: false });
    expect(draftFromRun(choices, run({ anatomy: true }))).toMatchObject({ anatomy: null });
  });

  test("brings the rewards for exploration", () => {
    const exploration = { map: false, coverage: null, novelty: 0.25 };
    const draft = draftFromRun(choices, run({ exploration }))!;
    expect(submission(choices, draft).body.exploration).toEqual(exploration);
    expect(draftFromRun(choices, run({}))).toMatchObject({ exploration: null });
  });

  test("brings how it explored if its preset explores otherwise", () => {
    const sent = (exploration?: object) => {
      const draft = draftFromRun(exploring, run({ exploration }))!;
      return [draft.exploration === null, submission(exploring, draft).body.exploration];
    };
    expect(sent({ map: false, coverage: 0.3, novelty: null, archive: 0.5 })).toEqual([
      ...[true, undefined],
    ]);
    expect(sent(), "it did not explore").toEqual([false, {}]);
    const other = { map: false, coverage: null, novelty: 0.5 };
    expect(sent(other)).toEqual([false, other]);
  });

  test("brings weights and caps", () => {
    const reward = { weights: { angle: 0.5 }, caps: { torque: 2 } };
    const pendulum = { env_id: "Pendulum-v1", preset: "stable" };
    const draft = draftFromRun(choices, run({ ...pendulum, reward }))!;
    expect(submission(choices, draft).body.reward).toEqual(reward);
    expect(draftFromRun(choices, run(pendulum))).toMatchObject({ reward: null });
  });

  test("records no map of several rooms unless the run did", () => {
    const world = {
      ...{ columns: 4, rows: 4, rooms_across: 2, rooms_down: 1, rooms: ["Shore", "Wood"] },
      ...{ marks: "", stages: 1, across: null, down: null },
    };
    const environments = choices.environments.map((one) => ({ ...one, world }));
    const withRooms = { ...choices, environments };
    const body = submission(withRooms, draftFromRun(withRooms, run({}))!).body;
    expect(body).not.toHaveProperty("exploration");
  });

  test("brings an algorithm that only its options allow", () => {
    const copy = (continuous: boolean) =>
      draftFromRun(
        choices,
        run({ env_id: "LunarLander-v3", algo: "sac", env_options: { continuous } }),
      );
    expect(copy(true)).toMatchObject({ algo: "sac", env_options: { continuous: "true" } });
    expect(copy(false)).toBeNull();
  });

  test("that cannot be repeated here says so", () => {
    expect(draftFromRun(choices, run({ algo: "sac" }))).toBeNull();
    expect(draftFromRun(choices, run({ env_id: "Pong-v5" }))).toBeNull();
  });
});

describe("what was typed", () => {
  const storage = () => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
      kept,
    };
  };

  test("is restored until it is reset", () => {
    const store = storage();
    saveDraft(store, choices, typed);
    expect(savedDraft(store, choices)).toEqual(typed);
    saveDraft(store, choices, firstDraft(choices));
    expect(store.kept.size).toBe(0);
  });

  test("is ignored when it is invalid or can no longer be chosen", () => {
    const store = storage();
    for (const text of ["{", "7", '{"algo":"ppo"}']) {
      store.kept.set("rlviz.new-run", text);
      expect(savedDraft(store, choices)).toBeNull();
    }
    saveDraft(store, choices, { ...firstDraft(choices), env: "Pong-v5" });
    expect(savedDraft(store, choices)).toBeNull();
    const full = () => {
      throw new Error("full");
    };
    expect(() => saveDraft({ ...store, setItem: full }, choices, typed)).not.toThrow();
  });
});
