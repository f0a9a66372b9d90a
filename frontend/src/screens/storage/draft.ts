import type { StorageRule, StorageRules } from "@/api/types";
import { parseNumber } from "@/lib/number";

/** The actions of rules, as the form offers them. */
export const ruleActions = {
  videos: "Keep only the newest videos",
  snapshots: "Keep only the newest snapshots",
  policies: "Keep only the newest checkpoints",
  records: "Keep only the newest step records",
  records_without_video: "Remove step records whose video is gone",
  clips: "Remove clips",
  film: "Remove the filmstrip's policies",
  logs: "Remove logs",
  compress: "Compress metrics",
  archive: "Archive runs, and delete them here",
  empty_trash: "Empty the trash",
} as const;

export type RuleAction = keyof typeof ruleActions;

const NEWEST = ["videos", "snapshots", "policies", "records"] as const;

/** The form of a new rule, as typed. `family`: empty for all. */
export interface Draft {
  action: RuleAction;
  keep: string;
  family: string;
  afterDays: string;
  overQuotaOnly: boolean;
}

export const emptyDraft: Draft = {
  action: "videos",
  keep: "1",
  family: "",
  afterDays: "30",
  overQuotaOnly: false,
};

export function keepsNewest(action: RuleAction): action is (typeof NEWEST)[number] {
  return (NEWEST as readonly string[]).includes(action);
}

/** The rule of a draft, or a sentence that says why it is not valid. */
export function ruleOf(draft: Draft): StorageRule | string {
  const days = parseNumber(draft.afterDays);
  if (!Number.isFinite(days) || days < 0) {
    return "Enter a number of days, 0 or more.";
  }
  if (draft.action === "empty_trash") return { do: "empty_trash", after_days: days };
  const ofRuns = { after_days: days, families: draft.family ? [draft.family] : [] };
  if (draft.action === "archive") return { do: "archive", ...ofRuns };
  const whose = { ...ofRuns, over_quota_only: draft.overQuotaOnly };
  if (draft.action === "compress") return { do: "compress", ...whose };
  if (!keepsNewest(draft.action)) return { do: "remove", what: draft.action, ...whose };
  const keep = parseNumber(draft.keep);
  const least = draft.action === "snapshots" ? 1 : 0;
  if (!Number.isInteger(keep) || keep < least) {
    return least
      ? "Keep at least 1 snapshot: without one, a run cannot be resumed."
      : "Enter a whole number, 0 or more.";
  }
  return { do: "keep_newest", kind: draft.action, keep, ...whose };
}

const GB = 1e9;

/** `typed` in GB as bytes; null for none, undefined if it is not a size. */
export function quotaOf(typed: string): number | null | undefined {
  if (typed.trim() === "") return null;
  const size = parseNumber(typed);
  return Number.isFinite(size) && size >= 0.001 ? Math.round(size * GB) : undefined;
}

/** The rules with the quota of a kind set; null removes it. */
export function withQuota(rules: StorageRules, kind: string, quota: number | null): StorageRules {
  const others = Object.entries(rules.quotas ?? {}).filter(([name]) => name !== kind);
  return {
    ...rules,
    quotas: Object.fromEntries(quota === null ? others : [...others, [kind, quota]]),
  };
}
