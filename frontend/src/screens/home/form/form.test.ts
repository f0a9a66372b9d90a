import { describe, expect, test } from "vitest";
import {
  anatomyOf,
  changedFields,
  changeDraft,
  type Draft,
  type DraftChange,
  environmentOf,
  evaluationOf,
  firstDraft,
  presetOf,
  replacedAlgorithmNote,
  timestepsOf,
  usualExploration,
} from "./draft";
import { choices, exploring } from "./fixtures";
import { problemsAfter, problemsByPointer, submission, unplaced } from "./submit";

const draftAfter = (...changes: DraftChange[]): Draft =>
  changes.reduce((draft, change) => changeDraft(choices, draft, change), firstDraft(choices));
const set = (name: string, value: string): DraftChange => ({
  field: "hyperparameters",
  name,
  value,
});
const [cartpole] = choices.environments;

describe("a draft", () => {
  test("can be submitted unchanged", () => {
    expect(submission(choices, firstDraft(choices))).toEqual({
      body: {
        algo: "ppo",
        env_id: "CartPole-v1",
        preset: "fast",
        seed: null,
        total_timesteps: 30_000,
        hyperparameters: {},
      },
      seeds: [],
      problems: {},
    });
  });

  test("has a plan for snapshots once it was edited, and reports its errors", () => {
    const typed = { steps: "20000", minutes: "", keep: "5", megabytes: "" };
    const { body } = submission(choices, draftAfter({ field: "snapshots", value: typed }));
    expect(body.snapshots).toEqual({
      ...{ every_steps: 20_000, every_seconds: null, keep: 5, max_bytes: null },
    });
    const wrong = draftAfter({ field: "snapshots", value: { ...typed, steps: "9", keep: "" } });
    const { problems } = submission(choices, wrong);
    expect(problems).toEqual({
      "/snapshots/every_steps": "Must be 100 to 10,000,000",
      "/snapshots/keep": "Enter a whole number",
    });
    expect(unplaced(problems, choices, wrong)).toEqual([]);
  });

  test("explores once it is switched on, and rewards coverage only if there are cells", () => {
    const [first] = choices.environments;
    const world = {
      ...{ columns: 4, rows: 4, rooms_across: 1, rooms_down: 1, rooms: [], marks: "", stages: 1 },
      ...{ across: null, down: null },
    };
    const withCells = { ...choices, environments: [{ ...first!, world }] };
    const value = {
      ...{ map: false, covers: true, coverage: "0.2", seeks: true, novelty: "0.5" },
      ...{ returns: false, archive: "0.3", imitates: false, imitation: "10" },
    };
    const draft = draftAfter({ field: "exploration", value });
    expect(submission(withCells, draft).body.exploration).toEqual({
      ...{ map: false, coverage: 0.2, novelty: 0.5 },
    });
    expect(submission(choices, draft).body.exploration).toEqual({
      ...{ map: false, coverage: null, novelty: 0.5 },
    });
    const island = { ...world, rooms: ["Shore", "Wood", "Hill", "Lighthouse"] };
    const withRooms = { ...choices, environments: [{ ...first!, world: island }] };
    expect(submission(withRooms, draftAfter()).body.exploration, "a map of the rooms").toEqual({
      ...{ map: true, coverage: null, novelty: null },
    });
    const returns = { ...value, covers: false, seeks: false, returns: true };
    const archived = draftAfter({ field: "exploration", value: returns });
    expect(submission(withCells, archived).body.exploration).toEqual({
      ...{ map: false, coverage: null, novelty: null, archive: 0.3 },
    });
    const imitates = { ...value, covers: false, seeks: false, imitates: true };
    const imitating = draftAfter({ field: "exploration", value: imitates });
    expect(submission(withCells, imitating).body.exploration).toEqual({
      ...{ map: false, coverage: null, novelty: null, imitation: 10 },
    });
    const off = { ...value, covers: false, seeks: false };
    expect(
      submission(withCells, draftAfter({ field: "exploration", value: off })).body,
    ).not.toHaveProperty("exploration");
    const wrong = draftAfter({ field: "exploration", value: { ...value, novelty: "0" } });
    const { problems } = submission(choices, wrong);
    expect(problems).toEqual({ "/exploration/novelty": "Must be above 0, at most 10" });
    expect(unplaced(problems, choices, wrong)).toEqual([]);
    expect(problemsAfter(problems, { field: "exploration", value: null })).toEqual({});
  });

  test("explores as its preset unless it was edited", () => {
    const sent = (...changes: DraftChange[]) => {
      const draft = changes.reduce(
        (old, change) => changeDraft(exploring, old, change),
        firstDraft(exploring),
      );
      return submission(exploring, draft).body.exploration;
    };
    const usual = usualExploration(exploring, firstDraft(exploring));
    const edit = (change: object): DraftChange => ({
      field: "exploration",
      value: { ...usual, ...change },
    });
    expect(sent(), "that of the preset").toBeUndefined();
    expect(sent(edit({ coverage: "0.1" }))).toEqual({
      ...{ map: true, coverage: 0.1, novelty: null, archive: 0.5 },
    });
    expect(sent(edit({ covers: false, returns: false, map: false })), "none").toEqual({});
    expect(sent({ field: "algo", value: "dqn" }), "only a map of the rooms").toEqual({
      ...{ map: true, coverage: null, novelty: null },
    });
  });

  test("weights and caps components once one is changed, until another environment is chosen", () => {
    const pendulum: DraftChange = { field: "env", value: "Pendulum-v1" };
    const typed = (angle: object, torque: object = {}): DraftChange => {
      const row = { weight: "", cap: "" };
      return {
        field: "reward",
        value: { angle: { ...row, ...angle }, torque: { ...row, ...torque } },
      };
    };
    const sent = (...changes: DraftChange[]) =>
      submission(choices, draftAfter(pendulum, ...changes));
    expect(sent(typed({ weight: "0" }, { weight: "1", cap: "2.5" })).body.reward).toEqual({
      ...{ weights: { angle: 0 }, caps: { torque: 2.5 } },
    });
    expect(sent(typed({ weight: " 1" })).body).not.toHaveProperty("reward");
    expect(
      sent(typed({ weight: "0" }), { field: "env", value: "CartPole-v1" }).body,
    ).not.toHaveProperty("reward");
    const { problems } = sent(typed({ weight: "-1" }, { cap: "0" }));
    expect(problems).toEqual({
      "/reward/weights/angle": "Must be 0 to 1,000",
      "/reward/caps/torque": "Must be above 0, at most 1,000,000,000",
    });
    expect(unplaced(problems, choices, draftAfter(pendulum))).toEqual([]);
    expect(problemsAfter(problems, { field: "reward", value: null })).toEqual({});
  });

  test("takes the values of a chosen preset, overwriting typed ones", () => {
    const typed = draftAfter({ field: "timesteps", value: "5" }, set("n_steps", "128"));
    expect(timestepsOf(choices, typed)).toBe("5");
    const chosen = changeDraft(choices, typed, { field: "preset", value: "stable" });
    expect(timestepsOf(choices, chosen)).toBe("100000");
    expect(chosen.hyperparameters).toEqual({});
  });

  test("keeps a preset that the other algorithm also has, and the seed", () => {
    const draft = draftAfter(
      { field: "seed", value: "7" },
      { field: "preset", value: "stable" },
      { field: "algo", value: "dqn" },
    );
    expect(draft).toMatchObject({ algo: "dqn", preset: "stable", seed: "7" });
  });

  test("an environment that the algorithm cannot use selects another algorithm", () => {
    const draft = draftAfter(
      { field: "algo", value: "dqn" },
      { field: "env", value: "Pendulum-v1" },
    );
    expect(draft).toMatchObject({ algo: "ppo", env: "Pendulum-v1", preset: "stable" });
    expect(replacedAlgorithmNote(choices, draft)).toBe(
      "DQN cannot train here (needs discrete actions), so PPO was chosen.",
    );
    const back = changeDraft(choices, draft, { field: "env", value: "CartPole-v1" });
    expect(back.algo).toBe("dqn");
    expect(replacedAlgorithmNote(choices, back)).toBe("");
  });

  describe("whose options decide compatibility", () => {
    const continuous = (value: string | null): DraftChange => ({
      field: "env_options",
      name: "continuous",
      value,
    });
    const lander: DraftChange = { field: "env", value: "LunarLander-v3" };
    const dqn: DraftChange = { field: "algo", value: "dqn" };

    test.each([
      ["as it is", [], "ppo", ["ppo", "dqn"], 200],
      ["with another option", [continuous("true")], "ppo", ["ppo", "sac"], 250],
      ["with an algorithm that then does not fit", [dqn, continuous("true")], "ppo", null, 250],
      ["and back, which brings it back", [dqn, continuous("true"), continuous(null)], "dqn"],
      ["reset", [dqn, continuous("true"), { field: "reset", part: "env_options" }], "dqn"],
      ["with what only fits then", [continuous("true"), { field: "algo", value: "sac" }], "sac"],
    ] as [string, DraftChange[], string, string[]?, number?][])(
      "%s",
      (_, changes, algo, fitting, threshold) => {
        const draft = draftAfter(lander, ...changes);
        const environment = environmentOf(choices, draft);
        expect(draft.algo).toBe(algo);
        expect(submission(choices, draft).problems).toEqual({});
        if (fitting) expect(environment?.algorithms).toEqual(fitting);
        if (threshold) expect(environment?.reward_threshold).toBe(threshold);
      },
    );

    test("use the presets of the chosen combination", () => {
      expect(presetOf(choices, draftAfter(lander))?.total_timesteps).toBe(80_000);
      const draft = draftAfter(lander, continuous("true"));
      expect(presetOf(choices, draft)?.total_timesteps).toBe(300_000);
    });

    test("never discard input: an incompatibility is reported and nothing is sent", () => {
      const typed = { field: "hyperparameters", name: "buffer_size", value: "777" } as const;
      const draft = draftAfter(lander, dqn, typed, continuous("true"));
      expect(draft).toMatchObject({ algo: "dqn", hyperparameters: { buffer_size: "777" } });
      expect(submission(choices, draft).problems["/algo"]).toMatch("Needs discrete actions");
      const back = changeDraft(choices, draft, continuous("false"));
      expect(submission(choices, back)).toMatchObject({
        body: { algo: "dqn", hyperparameters: { buffer_size: 777 } },
        problems: {},
      });
    });
  });

  test("knows what differs from its preset, including input that was reverted", () => {
    const draft = draftAfter(set("n_steps", "128"), set("learning_rate", "0.001"));
    expect(changedFields(choices, draft, "hyperparameters").map(({ name }) => name)).toEqual([
      "n_steps",
    ]);
    const reset = changeDraft(choices, draft, {
      field: "hyperparameters",
      name: "n_steps",
      value: null,
    });
    expect(changedFields(choices, reset, "hyperparameters")).toEqual([]);
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
    expect(submission(choices, draft).body.hyperparameters).toEqual({
      learning_rate: 0.0003,
      n_steps: 512,
      net_arch: [32, 32],
      target_kl: null,
      schedule: "linear",
    });
  });

  test("names every invalid field by its pointer", () => {
    const draft = draftAfter(
      { field: "env", value: "Pendulum-v1" },
      { field: "timesteps", value: "99" },
      { field: "seed", value: "seven" },
      { field: "env_options", name: "g", value: "21" },
      { field: "evaluation", value: { on: true, every: "5" } },
      set("learning_rate", "0"),
      set("n_steps", "2.5"),
    );
    expect(submission(choices, draft).problems).toEqual({
      "/total_timesteps": "Must be 100 to 1,000,000",
      "/seed": "Enter a whole number",
      "/env_options/g": "Must be 0 to 20",
      "/evaluation/every_steps": "Must be 100 to 10,000,000",
      "/hyperparameters/learning_rate": "Must be above 0, at most 1",
      "/hyperparameters/n_steps": "Enter a whole number",
    });
  });

  test("requests evaluation and options only if the user wants them", () => {
    const draft = draftAfter(
      { field: "env", value: "Pendulum-v1" },
      { field: "env_options", name: "g", value: "9.81" },
      { field: "evaluation", value: { on: true, every: "2,000" } },
    );
    expect(submission(choices, draft).body).toMatchObject({
      env_options: { g: 9.81 },
      evaluation: { every_steps: 2000, episodes: 10, stop_after: null },
    });
  });

  test("records updates by default unless the agent sees pictures", () => {
    const [first] = choices.environments;
    const seeing = { ...first!.observation_space, is_picture: true };
    const pictures = {
      ...choices,
      environments: [{ ...first!, observation_space: seeing }],
    };
    expect(anatomyOf(choices, firstDraft(choices))).toBe(true);
    expect(anatomyOf(pictures, firstDraft(pictures))).toBe(false);
    expect(submission(choices, firstDraft(choices)).body).not.toHaveProperty("anatomy");
    const on = changeDraft(pictures, firstDraft(pictures), { field: "anatomy", value: true });
    expect(submission(pictures, on).body).toMatchObject({ anatomy: true });
  });

  test("evaluates like the preset until the user changes it", () => {
    const [first] = cartpole!.presets.ppo!;
    const plan = { every_steps: 5000, episodes: 20, stop_after: 3 };
    const planned = {
      ...choices,
      environments: [{ ...cartpole!, presets: { ppo: [{ ...first!, evaluation: plan }] } }],
    };
    const draft = firstDraft(planned);
    expect(evaluationOf(planned, draft)).toMatchObject({ on: true, every: "5000", stops: true });
    expect(submission(planned, draft).body).not.toHaveProperty("evaluation");
    const off = changeDraft(planned, draft, { field: "evaluation", value: { on: false } });
    expect(submission(planned, off).body).toMatchObject({ evaluation: { every_steps: null } });
  });

  test("keeps the preset's sampled actions when another field is edited", () => {
    const [first] = cartpole!.presets.ppo!;
    const plan = { every_steps: 5000, episodes: 20, deterministic: false };
    const planned = {
      ...choices,
      environments: [{ ...cartpole!, presets: { ppo: [{ ...first!, evaluation: plan }] } }],
    };
    const edited = changeDraft(planned, firstDraft(planned), {
      ...{ field: "evaluation", value: { every: "2,000" } },
    });
    expect(submission(planned, edited).body).toMatchObject({
      evaluation: { every_steps: 2000, episodes: 20, deterministic: false },
    });
    const greedy = changeDraft(planned, edited, { field: "evaluation", value: { sampled: false } });
    expect(submission(planned, greedy).body).toHaveProperty("evaluation.deterministic", true);
    const off = changeDraft(planned, edited, { field: "evaluation", value: { on: false } });
    expect(submission(planned, off).body).toMatchObject({
      evaluation: { every_steps: null, deterministic: false },
    });
  });

  test.each(["-1", "1.5", "2147483648", "1e40", "0x"])("refuses %s as a seed", (value) => {
    expect(submission(choices, draftAfter({ field: "seed", value })).problems).toHaveProperty(
      "/seed",
    );
  });
});

describe("a refusal", () => {
  test("of one element is shown at its list, with the first of two reasons", () => {
    const fields = [
      { pointer: "/hyperparameters/net_arch/1", detail: "too wide" },
      { pointer: "/hyperparameters/net_arch/2", detail: "too wide as well" },
    ];
    expect(problemsByPointer(fields)).toEqual({ "/hyperparameters/net_arch": "too wide" });
  });

  test("without a field is distinguished from one with a field", () => {
    const problems = { "/seed": "bad", "/tags": "too long", "": "not today" };
    expect(unplaced(problems, choices, firstDraft(choices))).toEqual([
      "tags: too long",
      "not today",
    ]);
  });

  test("is cleared when its field changes, and everywhere with another algorithm", () => {
    const problems = { "/seed": "bad", "/hyperparameters/n_steps": "bad" };
    expect(problemsAfter(problems, { field: "seed", value: "1" })).toEqual({
      "/hyperparameters/n_steps": "bad",
    });
    expect(problemsAfter(problems, { field: "algo", value: "dqn" })).toEqual({});
  });
});
