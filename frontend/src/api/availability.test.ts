import { describe, expect, test } from "vitest";
import {
  canDo,
  isOffered,
  type JudgedRun,
  type RunAction,
  whyLookedAtOnly,
  whyNot,
  whyNotCompare,
} from "./run-availability";

type Status = JudgedRun["status"];

const ANY: RunAction[] = ["duplicate", "compare", "rename", "fork"];

/** For each status what is possible without a policy, and what else with one. */
const table: [Status, RunAction[], RunAction[]][] = [
  ["created", [...ANY, "start", "delete"], ["evaluate"]],
  ["queued", [...ANY, "stop"], ["evaluate"]],
  ["starting", [...ANY, "pause", "stop", "snapshot"], ["evaluate"]],
  ["running", [...ANY, "pause", "stop", "evaluate", "snapshot", "rollback"], []],
  ["pausing", [...ANY, "stop", "evaluate"], []],
  ["paused", [...ANY, "resume", "rollback", "delete"], ["evaluate"]],
  ["stopping", [...ANY, "evaluate"], []],
  ["completed", [...ANY, "extend", "rollback", "delete"], ["evaluate"]],
  ["stopped", [...ANY, "resume", "rollback", "delete"], ["evaluate"]],
  ["failed", [...ANY, "resume", "rollback", "delete"], ["evaluate"]],
  ["interrupted", [...ANY, "resume", "rollback", "delete"], ["evaluate"]],
  ["deleted", ["restore"], []],
];

const ALL: RunAction[] = [
  ...ANY,
  "start",
  "pause",
  "resume",
  "extend",
  "stop",
  "snapshot",
  "rollback",
  "evaluate",
  "delete",
  "restore",
];
const possible = (run: JudgedRun) => ALL.filter((action) => canDo(action, run)).toSorted();

describe.each(table)("a %s run", (status, without, withPolicy) => {
  test(`without a policy allows ${without.join(", ")}`, () =>
    expect(possible({ actor: "policy", status, policy_step: null })).toEqual(without.toSorted()));

  test(`with a policy allows ${withPolicy.join(", ") || "the same"} too`, () =>
    expect(possible({ actor: "policy", status, policy_step: 0 })).toEqual(
      [...without, ...withPolicy].toSorted(),
    ));
});

test("each unavailable action says why, in a sentence", () => {
  for (const [status] of table) {
    for (const action of ALL) {
      const reason = whyNot(action, { actor: "policy", status, policy_step: null });
      expect(reason === null || /^[A-Z].*\.$/.test(reason), `${action} ${status}: ${reason}`).toBe(
        true,
      );
    }
  }
});

test.each([
  ["delete", "running", "Stop it first."],
  ["stop", "stopping", "It is stopping already."],
  ["stop", "completed", "It has ended."],
  [
    "pause",
    "queued",
    "It is waiting for a free slot. Stop it, and resume it when you want it to train.",
  ],
  ["resume", "completed", "It has done all of its steps. Train it longer, or create a new run."],
  ["resume", "running", "It is already training."],
  ["evaluate", "starting", "The run is starting: there is no policy yet."],
  ["evaluate", "failed", "This run ended before its first checkpoint."],
] as [RunAction, Status, string][])("%s of a %s run: %s", (action, status, reason) =>
  expect(whyNot(action, { actor: "policy", status, policy_step: null })).toBe(reason),
);

test.each([
  ["human", "running", ["compare", "rename"]],
  ["human", "completed", ["compare", "delete", "rename"]],
  ["random", "created", ["compare", "delete", "duplicate", "evaluate", "rename", "start"]],
  ["random", "running", ["compare", "duplicate", "evaluate", "rename", "stop"]],
  ["random", "completed", ["compare", "delete", "duplicate", "evaluate", "rename"]],
] as [JudgedRun["actor"], Status, RunAction[]][])(
  "a %s run that is %s allows the actions that need no learning",
  (actor, status, actions) =>
    expect(possible({ actor, status, policy_step: null })).toEqual(actions),
);

test.each([
  [0, "Select two runs or more"],
  [1, "Select two runs or more"],
  [2, null],
  [10, null],
  [11, "Compare takes up to 10 runs"],
])("comparing %d runs: %s", (runs, reason) => expect(whyNotCompare(runs, 10)).toBe(reason));

test("a foreign run can be watched, compared and labelled; actions that would control it say why not", () => {
  const running = { actor: "foreign", status: "running", policy_step: null } as const;
  expect(possible(running)).toEqual(["compare", "rename"]);
  expect(possible({ ...running, status: "interrupted" })).toEqual(["compare", "delete", "rename"]);
  for (const action of ["start", "stop", "pause", "resume", "evaluate", "duplicate"] as const) {
    expect(whyNot(action, running)).toMatch(/^An external program writes this run/);
  }
  expect(whyNot("delete", running)).toBe("A program writes it. End that program first.");
});

test("a run of a newer version can be viewed, labelled and deleted, and other actions say why not", () => {
  const newer = { file: "config.json", line: null, problem: "", remedy: "", newer: true };
  const paused: JudgedRun = { actor: "policy", status: "paused", policy_step: 7, damage: [newer] };
  expect(possible(paused)).toEqual(["compare", "delete", "duplicate", "rename"]);
  for (const action of ["resume", "evaluate"] as const) {
    expect(isOffered(action, paused)).toBe(true);
    expect(whyNot(action, paused)).toBe(whyLookedAtOnly(paused));
  }
  expect(isOffered("extend", paused)).toBe(false);
  expect(possible({ ...paused, status: "created" })).not.toContain("start");
  expect(possible({ ...paused, status: "completed" })).not.toContain("extend");
  expect(whyLookedAtOnly({ damage: [{ ...newer, newer: false }] })).toBeNull();
});
