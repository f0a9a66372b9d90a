import { expect, test } from "vitest";
import type { Rule } from "@/api/types";
import { warningsOf } from "./draft";

type Side = "above" | "at_least" | "below" | "at_most";

const kl = (side: Side, value: number, change: Partial<Rule> = {}): Rule => ({
  when: { kind: "metric", metric: "train/approx_kl", side, value, rows: 3 },
  do: [{ kind: "scale_knob", knob: "learning_rate", factor: 0.5 }],
  at_most: 10,
  ...change,
});
const double: Partial<Rule> = {
  do: [{ kind: "scale_knob", knob: "learning_rate", factor: 2 }],
};
const details = (...rules: Rule[]) =>
  warningsOf(rules).map(({ rule, detail }) => `${rule}: ${detail}`);

test("two rules that can match together and control the same thing raise a warning", () => {
  const says =
    "1: Rule 1 also changes the learning rate. If both fire at the same row, only rule 1's change is applied.";
  expect(details(kl("above", 0.1), kl("above", 0.2, double))).toEqual([says]);
  expect(details(kl("above", 0.1), kl("below", 0.2, double))).toEqual([says]);
  expect(details(kl("at_least", 0.1), kl("at_most", 0.1, double))).toEqual([says]);
});

test("the two halves of one control do not contradict each other", () => {
  expect(details(kl("above", 0.1), kl("below", 0.01, double))).toEqual([]);
  expect(details(kl("above", 0.1), kl("at_most", 0.1, double))).toEqual([]);
});

test("a stop and a pause at the same moment contradict each other, two notes do not", () => {
  const at = { kind: "steps", steps: 5_000 } as const;
  const one = { when: at, at_most: 1 };
  const stop: Rule = { ...one, do: [{ kind: "stop" }] };
  const pause: Rule = { ...one, do: [{ kind: "pause" }] };
  const note: Rule = { ...one, do: [{ kind: "notify" }] };
  expect(warningsOf([stop, pause])).toMatchObject([{ rule: 1 }]);
  expect(warningsOf([note, note, stop])).toEqual([]);
  expect(warningsOf([stop, { ...pause, when: { kind: "steps", steps: 6_000 } }])).toEqual([]);
});

test("a rule that may act often, at every other row, raises a warning", () => {
  const single = { ...kl("above", 0.1).when, rows: 1 } as Rule["when"];
  expect(warningsOf([kl("above", 0.1, { when: single, at_most: 1_000 })])).toMatchObject([
    { rule: 0, detail: expect.stringContaining("up to 1,000 times") as string },
  ]);
  expect(warningsOf([kl("above", 0.1, { when: single })])).toEqual([]);
  expect(warningsOf([kl("above", 0.1, { at_most: 1_000 })])).toEqual([]);
});
