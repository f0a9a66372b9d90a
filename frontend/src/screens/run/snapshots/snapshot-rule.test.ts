import { expect, test } from "vitest";
import { canDo } from "@/api/run-availability";
import type { RunStatus } from "@/api/types";
import { type SnapshotAction, whyNotWith } from "./snapshot-text";

const ACTIONS: SnapshotAction[] = ["resume", "rollback", "delete"];
const run = (status: RunStatus) => ({
  ...{ status, actor: "policy" as const, policy_step: null, total_timesteps: 1_000, damage: [] },
  ended_early: null as string | null,
});
const snapshot = { step: 500, whole: true, behind: false, inherited: false };

test.each([
  ["created", ["delete"]],
  ["queued", []],
  ["starting", ["take"]],
  ["running", ["take", "rollback"]],
  ["pausing", []],
  ["paused", ["resume", "rollback", "delete"]],
  ["stopping", []],
  ["completed", ["rollback", "delete"]],
  ["stopped", ["resume", "rollback", "delete"]],
  ["failed", ["resume", "rollback", "delete"]],
  ["interrupted", ["resume", "rollback", "delete"]],
] as [RunStatus, string[]][])("the snapshots of a %s run allow %j", (status, possible) => {
  expect([
    ...(canDo("snapshot", run(status)) ? ["take"] : []),
    ...ACTIONS.filter((action) => whyNotWith(action, run(status), snapshot) === null),
  ]).toEqual(possible);
});

test.each([
  ["a run that trains", "running", {}, null],
  ["one that was left behind", "stopped", { behind: true }, null],
  ["one that is damaged", "stopped", { whole: false }, "It cannot be used."],
] as const)("forking at a snapshot of %s: %s %j %s", (_, status, change, reason) =>
  expect(whyNotWith("fork", run(status), { ...snapshot, ...change })).toBe(reason),
);

test("a run that ended early resumes from its snapshots for the remaining steps", () => {
  const done = { ...run("completed"), ended_early: "When 500 steps are done: stop." };
  expect(whyNotWith("resume", done, snapshot)).toBeNull();
  expect(whyNotWith("resume", done, { ...snapshot, behind: true })).not.toBeNull();
});

test.each([
  ["is damaged", { whole: false }, "It cannot be used."],
  ["was left behind", { behind: true }, "The run was rolled back to an earlier snapshot."],
  ["is of the last step", { step: 1_000 }, "Training ends at this snapshot."],
])("a run does not resume from a snapshot that %s, which can be deleted", (_, change, reason) => {
  const judge = (action: SnapshotAction) =>
    whyNotWith(action, run("stopped"), { ...snapshot, ...change });
  expect(ACTIONS.map(judge)).toEqual([reason, reason, null]);
});

test("snapshots of a run of a newer version are only listed", () => {
  const damage = [{ file: "config.json", line: null, problem: "", remedy: "", newer: true }];
  const newer = { ...run("paused"), damage };
  const reasons = [...ACTIONS, "fork" as const].map((action) =>
    whyNotWith(action, newer, snapshot),
  );
  expect(new Set(reasons)).toEqual(
    new Set(["A newer version of the app wrote this run: you can only view it here."]),
  );
});
