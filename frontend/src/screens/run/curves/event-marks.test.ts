import { expect, test } from "vitest";
import type { Evaluation, RunEvent } from "@/api/types";
import { eventMarks, type Happened } from "./event-marks";

const start = Date.parse("2026-01-01T00:00:00Z") / 1000;
const event = (kind: string, step: number) =>
  ({
    ...{ seq: step, kind, step, time: start + step / 100, message: `${kind} ${step}` },
    superseded: false,
    details: { kind },
  }) as RunEvent;

const happened: Happened = {
  run: {
    attempts: [{ started_at: "2026-01-01T00:00:00Z", ended_at: null }],
    parent: null,
    solved: { step: 4_000, seconds: 40, by: "evaluation", threshold: 475 },
  },
  events: [event("started", 0), event("checkpoint", 2_000), event("best", 4_000)],
  evaluations: [
    {
      ...{ id: "eval_1", checkpoint_step: 3_000, ended_at: "2026-01-01T00:02:00Z" },
      summary: { episode_return: { mean: 300, std: 12, min: 280, max: 320 } },
    } as Evaluation,
    { id: "eval_2", checkpoint_step: null, ended_at: null, summary: null } as Evaluation,
  ],
  periodic: [{ at: 1_000, mean: 99 }],
};
const places = (axis: "step" | "time" | "episode") =>
  eventMarks(happened, axis).map(({ kind, at }) => [kind, at]);

test("marks are at their steps, and unimportant events have none", () => {
  expect(places("step")).toEqual([
    ["solved", 4_000],
    ["checkpoint", 2_000],
    ["best", 4_000],
    ["evaluation", 3_000],
    ["evaluation", 1_000],
  ]);
});

test("a requested snapshot has a mark and an automatic one has none", () => {
  const taken = (step: number, trigger: string) => ({
    ...event("snapshot", step),
    details: { kind: "snapshot", trigger } as RunEvent["details"],
  });
  const events = [taken(500, "periodic"), taken(700, "requested")];
  const marks = eventMarks({ ...happened, events, evaluations: [], periodic: [] }, "step");
  expect(marks.map(({ kind, at }) => [kind, at])).toEqual([
    ["solved", 4_000],
    ["snapshot", 700],
  ]);
});

test("by time they are where they happened", () => {
  expect(places("time").slice(0, 4)).toEqual([
    ["solved", 40],
    ["checkpoint", 20],
    ["best", 40],
    ["evaluation", 120],
  ]);
});

test("by episodes only events with a position are shown", () => {
  expect(places("episode")).toEqual([["evaluation", 1_000]]);
});

test("each mark says what happened", () => {
  expect(eventMarks(happened, "step").map(({ text }) => text)).toEqual([
    "Solved by evaluation at step 4,000, after 40s of training: 475.0 reached.",
    "checkpoint 2000",
    "best 4000",
    "Evaluated at step 3,000: return 300.0 ± 12.0.",
    "Evaluation while training: mean return 99.0.",
  ]);
});

test("fired rules and changed settings have a mark that says so", () => {
  const steered = [event("rule_fired", 500), event("hyperparameter_changed", 512)];
  const marks = eventMarks({ ...happened, events: steered }, "step");
  expect(marks.filter(({ kind }) => kind === "steered").map(({ at, text }) => [at, text])).toEqual([
    [500, "rule_fired 500"],
    [512, "hyperparameter_changed 512"],
  ]);
});

test("discarded events have no mark and the rollback has one", () => {
  const back = { ...event("rollback", 1_000), time: start + 100 };
  const left = { superseded: true };
  const evaluated = {
    ...{ ...event("evaluation", 3_000), ...left },
    details: { kind: "evaluation", evaluation_id: "eval_1" } as RunEvent["details"],
  };
  const events = [event("best", 500), { ...event("best", 2_000), ...left }, evaluated, back];
  const after = { ...happened, events: [...events, event("best", 20_000)], periodic: [] };
  const marks = eventMarks(after, "step");
  expect(marks.slice(1).map(({ kind, at }) => [kind, at])).toEqual([
    ["best", 500],
    ["resumed", 1_000],
    ["best", 20_000],
  ]);
});

test("a fork is marked at its start in its parent", () => {
  const parent = { run_id: "p", step: 700 } as Happened["run"]["parent"];
  const forked = { ...happened, run: { ...happened.run, parent } };
  expect(eventMarks(forked, "step")[0]).toMatchObject({ kind: "fork", at: 700 });
  expect(eventMarks(forked, "time")[0]).toMatchObject({ kind: "solved" });
});

test("by time a pause has no width", () => {
  const day = 86_400;
  const attempts = [
    {
      started_at: new Date(start * 1000).toISOString(),
      ended_at: new Date((start + 30) * 1000).toISOString(),
    },
    { started_at: new Date((start + day) * 1000).toISOString(), ended_at: null },
  ];
  const late = { ...event("best", 4_000), time: start + day + 5 };
  const marks = eventMarks(
    { ...happened, run: { ...happened.run, attempts }, events: [late] },
    "time",
  );
  expect(marks.find(({ kind }) => kind === "best")?.at).toBe(35);
});
