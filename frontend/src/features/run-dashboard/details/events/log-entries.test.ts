import { expect, test } from "vitest";
import type { Evaluation, RunEvent } from "@/lib/api";
import { logEntries } from "./log-entries";

const saved = {
  ...{ seq: 2, time: 1000, step: 500, kind: "checkpoint", level: "info", message: "Saved." },
  details: { kind: "checkpoint", path: "x", request: 0 },
} as unknown as RunEvent;

const evaluation = {
  ...{ id: "e", status: "completed", policy: "best", checkpoint_step: 400, episodes: 5 },
  ...{ created_at: "1970-01-01T00:16:40Z", ended_at: "1970-01-01T00:16:50Z", cause: null },
  summary: { episode_return: { mean: 480, std: 12, min: 1, max: 500 } },
} as unknown as Evaluation;

test("evaluations stand among the events, newest first", () => {
  const all = logEntries([saved], [evaluation]);
  expect(all.map(({ kind }) => kind)).toEqual(["evaluation", "checkpoint"]);
  expect(all[0]).toMatchObject({
    step: 400,
    message: "The best policy of step 400 was evaluated over 5 episodes: mean return 480.0 ± 12.0.",
  });
});

test("one that failed is an error with its cause, and one under way says so", () => {
  const failed = { ...evaluation, status: "failed", summary: null, cause: "no room" } as Evaluation;
  const waiting = { ...evaluation, status: "running", summary: null } as Evaluation;
  expect(logEntries([], [failed])[0]).toMatchObject({
    level: "error",
    message: "An evaluation over 5 episodes failed: no room",
  });
  expect(logEntries([], [waiting])[0]?.message).toContain("is being evaluated");
});
