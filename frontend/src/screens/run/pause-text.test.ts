import { describe, expect, test } from "vitest";
import { pauseText, resumedText } from "./pause-notice";

describe("a run that pauses", () => {
  const run = { status: "pausing", step: 14_400, end_step: 20_480, saves_at: 16_384 } as const;

  test("states the step at which it will be saved", () =>
    expect(pauseText(run)?.title).toBe("Saving at step 16,384"));

  test("states its step when it is paused", () =>
    expect(pauseText({ ...run, status: "paused", step: 16_384 })?.title).toBe(
      "Paused at step 16,384 of 20,480",
    ));

  test("states only the step if the length is unknown", () =>
    expect(pauseText({ ...run, status: "paused", step: 134, end_step: 0 })?.title).toBe(
      "Paused at step 134",
    ));

  test("promises an exact continuation only if it is one, and otherwise says why not", () => {
    const paused = { ...run, status: "paused" } as const;
    const text = (held?: Parameters<typeof pauseText>[1]) => pauseText(paused, held)?.text;
    expect(text({ exact: true, not_exact_because: null })).toMatch(/exactly where it was\.$/);
    expect(text({ exact: false, not_exact_because: "Its state cannot be copied." })).toBe(
      "Everything is saved, and no process runs. Resume continues from there, but not exactly. Its state cannot be copied.",
    );
    expect(text(), "not known yet").toBe("Everything is saved, and no process runs.");
  });

  test("is empty during training", () =>
    expect(pauseText({ ...run, status: "running" })).toBeNull());
});

describe("a run that continued from a snapshot", () => {
  const resumed = {
    ...{ snapshot: "16384", step: 16_384, verified: 132, left: 0, diverged_at: null },
    not_exact_because: null,
  };
  const run: Parameters<typeof resumedText>[0] = {
    ...{ status: "running", parent: null, attempt: 2 },
    ...{ resumed, superseded: [] },
  };
  const stretch = { first: 290, last: 850, attempt: 2, beyond: 16_384 };
  const words = (
    changes: Partial<Omit<typeof resumed, "not_exact_because" | "diverged_at">> & {
      diverged_at?: number;
      not_exact_because?: string;
    },
  ) => resumedText({ ...run, resumed: { ...resumed, ...changes } });

  test("states how many rows were identical", () =>
    expect(words({})).toBe("Resumed from step 16,384, 132 rows identical."));

  test("says so if there were none to compare", () =>
    expect(words({ verified: 0 })).toBe("Resumed from step 16,384, exactly where it was."));

  test("does not claim rows beyond its end", () =>
    expect(words({ verified: 0, left: 5 })).toBe(
      "Resumed from step 16,384, 0 rows identical, 5 not reached.",
    ));

  test("does not claim exactness if it is not exact", () =>
    expect(words({ diverged_at: 16_512 })).toMatch(/but not exactly: 132 rows identical/));

  test("says so if it was known in advance to be inexact", () =>
    expect(words({ verified: 0, not_exact_because: "Its episode began anew." })).toBe(
      "Resumed from step 16,384, but not exactly. Its episode began anew.",
    ));

  test("is empty before the attempt has started", () =>
    expect(resumedText({ ...run, status: "queued" })).toBeNull());

  test("reports a rollback without mentioning discarded rows", () => {
    const back = { ...run, resumed: { ...resumed, verified: null }, superseded: [stretch] };
    expect(resumedText(back)).toBe("Rolled back to step 16,384.");
    expect(resumedText({ ...back, attempt: 3 })).toBe("Resumed from step 16,384.");
  });

  test("states where a fork started and that later attempts were resumed", () => {
    const parent = { run_id: "a", snapshot: "16384", step: 16_384, changed: [] };
    const fork = { ...run, parent, attempt: 1, resumed: { ...resumed, verified: 0 } };
    expect(resumedText(fork)).toBe("Started at its parent's step 16,384, exactly where it was.");
    expect(resumedText({ ...fork, attempt: 2 })).toMatch(/^Resumed from step 16,384/);
  });
});
