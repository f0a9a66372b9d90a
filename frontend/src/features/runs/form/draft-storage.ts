import { withOwnKeys } from "@/forms/rules/draft";
import { LISTED } from "@/forms/seed-choice";
import { firstDraft } from "./change-draft";
import { algorithmOf, type Choices, type Draft, environmentOf, presetOf } from "./draft";

const KEY = "rlviz.new-run";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Keeps the draft in `store` (the tab's session storage); an unedited draft is removed from it. */
export function saveDraft(store: Store, choices: Choices, draft: Draft) {
  if (isUnedited(choices, draft)) return clearDraft(store);
  attempt(() => store.setItem(KEY, JSON.stringify(draft)));
}

/** Whether the draft is the one that the form starts with. */
export function isUnedited(choices: Choices, draft: Draft): boolean {
  return JSON.stringify(draft) === JSON.stringify(firstDraft(choices));
}

/** The draft in `store`; null without one, or if its environment, algorithm or preset is not offered any more. */
export function savedDraft(store: Store, choices: Choices): Draft | null {
  const kept = attempt(() => JSON.parse(store.getItem(KEY) ?? "null") as unknown);
  if (!isDraft(kept)) return null;
  const known = environmentOf(choices, kept)?.available && algorithmOf(choices, kept);
  return known && presetOf(choices, kept) ? { ...kept, rules: withOwnKeys(kept.rules) } : null;
}

export function clearDraft(store: Store) {
  attempt(() => store.removeItem(KEY));
}

/** Browsers can forbid storage; nothing is kept then. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  const texts = ["algo", "wanted", "env", "preset", "seed", "name"];
  const parts = ["hyperparameters", "env_options"];
  return (
    texts.every((name) => typeof record[name] === "string") &&
    parts.every((name) => record[name] !== null && isObjectOrNull(record[name])) &&
    isObjectOrNull(record.evaluation) &&
    isObjectOrNull(record.snapshots) &&
    (typeof record.seeds === "number" || record.seeds === LISTED) &&
    Array.isArray(record.rules) &&
    Array.isArray(record.sinks) &&
    (record.anatomy === null || typeof record.anatomy === "boolean") &&
    (record.timesteps === null || typeof record.timesteps === "string")
  );
}

function isObjectOrNull(value: unknown): boolean {
  return typeof value === "object";
}
