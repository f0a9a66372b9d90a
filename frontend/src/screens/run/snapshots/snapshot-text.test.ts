import { expect, test } from "vitest";
import { snapshot } from "./fixtures";
import { confirmationOf, type ConfirmedAction } from "./snapshot-text";

const early = snapshot(2_048);
const late = snapshot(6_144);
const happens = (action: ConfirmedAction, one = early, snapshots = [early, late]) =>
  confirmationOf(action, one, { snapshots, reached: 6_144 }).happens.join(" ");

test("resuming from the current step says that nothing is lost", () =>
  expect(happens("resume", late)).toBe("Training continues from step 6,144."));

test("resuming from an earlier snapshot says what is recomputed", () =>
  expect(happens("resume")).toContain("The 4,096 steps after it are computed again"));

test("rolling back says what is discarded", () => {
  expect(happens("rollback")).toContain(
    "The 4,096 steps after it stay in the run's journal, but no longer count.",
  );
  expect(happens("rollback")).toContain("no longer continue from snapshots of later steps");
  expect(happens("rollback", late)).not.toContain("later steps");
});

test("an inexact snapshot says so and why, if training would continue from it", () => {
  const other = { exact: false, not_exact_because: "PyTorch was 2.8." };
  expect(happens("resume", snapshot(6_144, other))).toMatch(
    /not continue exactly. PyTorch was 2.8.$/,
  );
  expect(happens("delete", snapshot(6_144, other))).not.toContain("exactly");
});

test("deleting a named snapshot says that it was meant to be kept", () => {
  const named = snapshot(2_048, { name: "before-lr", is_named: true });
  expect(happens("delete", named)).toMatch(/^It has a name, so it is kept/);
  expect(confirmationOf("delete", named, { snapshots: [], reached: 0 }).title).toBe(
    "Delete the snapshot “before-lr”",
  );
});

test("deleting the last usable snapshot says that the run can be resumed only from it", () => {
  const damaged = snapshot(6_144, { whole: false });
  expect(happens("delete", early, [early, damaged])).toContain(
    "the only one from which the run can be resumed",
  );
  expect(happens("delete", damaged, [early, damaged])).not.toContain(
    "the only one from which the run can be resumed",
  );
  expect(happens("delete")).not.toContain("the only one from which the run can be resumed");
});
