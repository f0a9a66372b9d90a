import { expect, test } from "vitest";
import type { RunEvent } from "@/api/types";
import { logEntries } from "./event-log";

const saved = {
  ...{ seq: 2, time: 1000, step: 500, kind: "checkpoint", level: "info", message: "Saved." },
  details: { kind: "checkpoint", path: "x", request: 0 },
} as unknown as RunEvent;

const evaluated = {
  ...{ seq: null, time: 1010, step: 400, kind: "evaluation", level: "info", message: "It was." },
  details: { kind: "evaluation", evaluation_id: "e", status: "completed" },
} as unknown as RunEvent;

const failed = {
  ...{ seq: 3, time: 1020, step: 600, kind: "error", level: "error", message: "No." },
  details: { kind: "error", type: "E", message: "No.", traceback: "line 1" },
} as unknown as RunEvent;

test("the newest event comes first and each has its own key", () => {
  const all = logEntries([saved, evaluated, failed]);
  expect(all.map(({ kind }) => kind)).toEqual(["error", "evaluation", "checkpoint"]);
  expect(all.map(({ key }) => key)).toEqual(["3", "e", "2"]);
});

test("an error has a traceback and others have none", () => {
  expect(logEntries([saved, failed]).map(({ traceback }) => traceback)).toEqual(["line 1", null]);
});
