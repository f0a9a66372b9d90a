import {
  algorithmOf,
  type Choices,
  type Draft,
  environmentOf,
  firstDraft,
  presetOf,
} from "./draft";

const KEY = "rlviz.new-run";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Keeps what was typed until the tab is closed; a form that says nothing of its own is not kept. */
export function keepDraft(store: Store, choices: Choices, draft: Draft) {
  if (isTrivial(choices, draft)) return forgetDraft(store);
  attempt(() => store.setItem(KEY, JSON.stringify(draft)));
}

/** Whether the form is as it was first shown. */
export function isTrivial(choices: Choices, draft: Draft): boolean {
  return JSON.stringify(draft) === JSON.stringify(firstDraft(choices));
}

/** What was kept, as far as it still can be chosen; null when there is nothing. */
export function keptDraft(store: Store, choices: Choices): Draft | null {
  const kept = attempt(() => JSON.parse(store.getItem(KEY) ?? "null") as unknown);
  if (!isDraft(kept)) return null;
  const known = environmentOf(choices, kept)?.available && algorithmOf(choices, kept);
  return known && presetOf(choices, kept) ? kept : null;
}

export function forgetDraft(store: Store) {
  attempt(() => store.removeItem(KEY));
}

/** A browser may forbid storage; then nothing is kept. */
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
    (record.anatomy === null || typeof record.anatomy === "boolean") &&
    (record.timesteps === null || typeof record.timesteps === "string")
  );
}

function isObjectOrNull(value: unknown): boolean {
  return typeof value === "object";
}
