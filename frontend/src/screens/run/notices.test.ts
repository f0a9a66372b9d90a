import { expect, test } from "vitest";
import type { SnapshotInfo } from "@/api/types";
import { newestSnapshot, whatWasSaved } from "./notices";

const best_policy = { step: 800, mean_return: 1, std_return: 0, episodes: 10 };

test.each([
  [
    { step: 0, policy_step: null, best_policy: null },
    "It ended before its first step: nothing was saved.",
  ],
  [
    { step: 1234, policy_step: null, best_policy: null },
    "Saved: the curves up to step 1,234. It ended before its first checkpoint.",
  ],
  [
    { step: 1234, policy_step: 1000, best_policy: null },
    "Saved: the curves up to step 1,234 and the policy of step 1,000.",
  ],
  [
    { step: 1234, policy_step: 1000, best_policy },
    "Saved: the curves up to step 1,234, the policy of step 1,000 and the best policy, of step 800.",
  ],
])("of %j: %s", (run, text) =>
  expect(whatWasSaved({ status: "interrupted", ...run }, null)).toBe(text),
);

test("a snapshot is named with its step", () => {
  const run = { status: "stopped", step: 1234, policy_step: 1000, best_policy: null } as const;
  expect(whatWasSaved(run, 1200)).toBe(
    "Saved: the curves up to step 1,234, the policy of step 1,000 and a snapshot of step 1,200, from which training can continue.",
  );
});

test("the newest snapshot is the last complete one not discarded by a rollback", () => {
  const of = (step: number, whole = true, behind = false) =>
    ({ step, whole, behind }) as SnapshotInfo;
  expect(newestSnapshot([of(900, true, true), of(800, false), of(600), of(300)])).toBe(600);
  expect(newestSnapshot([of(800, false)])).toBeNull();
});
