import { expect, test } from "vitest";
import { lookedAtText, ruleText } from "./hint-text";
import type { HintRule } from "./types";

const rule = (change: Partial<HintRule>): HintRule => ({
  ...{ id: "kl-spikes", looks_for: "single updates move the policy too far", metrics: [] },
  minimum: { points: 20, unit: "updates", progress: 0.2, ended: false },
  ...{ state: "silent", points: 47 },
  ...change,
});

test("a hint names the data it used", () => {
  const looked_at = { metric: "train/approx_kl", from_step: 2_048, to_step: 96_256, points: 47 };
  expect(lookedAtText({ looked_at: { ...looked_at, unit: "updates" } } as never)).toBe(
    "Based on 47 updates, from step 2,048 to 96,256.",
  );
});

test.each([
  [{}, "not seen in 47 updates"],
  [{ state: "found" }, "seen in 47 updates"],
  [{ state: "not_logged", points: 0 }, "not logged in this run"],
  [{ state: "waiting", points: 4 }, "4 updates so far; needs 20 updates and 20% of training"],
  [{ state: "waiting", points: 30 }, "30 updates so far; needs 20% of training"],
  [
    { state: "waiting", minimum: { points: 1, unit: "rows", progress: 0, ended: true } },
    "47 values so far; needs the end of training",
  ],
] as [Partial<HintRule>, string][])("a rule that is %j: %s", (change, words) =>
  expect(ruleText(rule(change))).toBe(words),
);
