import { expect, test } from "vitest";
import { type Draft, emptyDraft, quotaOf, ruleOf, withQuota } from "./draft";

const draft = (changes: Partial<Draft>): Draft => ({ ...emptyDraft, ...changes });

test("a draft becomes the described rule", () => {
  expect(ruleOf(draft({ action: "videos", keep: "2", family: "atari" }))).toEqual({
    do: "keep_newest",
    kind: "videos",
    keep: 2,
    families: ["atari"],
    after_days: 30,
    over_quota_only: false,
  });
  expect(ruleOf(draft({ action: "clips", afterDays: "0", overQuotaOnly: true }))).toMatchObject({
    do: "remove",
    what: "clips",
    after_days: 0,
    over_quota_only: true,
  });
  expect(ruleOf(draft({ action: "compress" }))).toMatchObject({ do: "compress", families: [] });
  expect(ruleOf(draft({ action: "empty_trash", afterDays: "2", family: "atari" }))).toEqual({
    do: "empty_trash",
    after_days: 2,
  });
});

test.each([
  [{ afterDays: "" }, /days/],
  [{ afterDays: "-1" }, /days/],
  [{ keep: "1.5" }, /whole number/],
  [{ keep: "" }, /whole number/],
  [{ action: "snapshots", keep: "0" }, /resumed/],
] as const)("%j is not a rule", (changes, says) => {
  expect(ruleOf(draft(changes))).toMatch(says);
});

test.each([
  ["", null],
  ["2.5", 2_500_000_000],
  ["0", undefined],
  ["lots", undefined],
])("%j GB is %j", (typed, quota) => expect(quotaOf(typed)).toBe(quota));

test("a quota can be set, replaced and removed without changing others", () => {
  const rules = { rules: [], quotas: { videos: 5, clips: 7 } };
  expect(withQuota(rules, "videos", 6).quotas).toEqual({ clips: 7, videos: 6 });
  expect(withQuota(rules, "clips", null).quotas).toEqual({ videos: 5 });
  expect(withQuota({ rules: [] }, "logs", 9).quotas).toEqual({ logs: 9 });
});

test("runs are archived completely, so their rule cannot depend on a quota of a kind", () => {
  expect(
    ruleOf(draft({ action: "archive", afterDays: "90", family: "box2d", overQuotaOnly: true })),
  ).toEqual({ do: "archive", after_days: 90, families: ["box2d"] });
});
