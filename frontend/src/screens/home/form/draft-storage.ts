import type { Hyperparameter, Rule, RunConfig, RunDetail, SinkKind } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { draftOf, withOwnKeys } from "@/forms/rules/draft";
import { LISTED } from "@/forms/seed-choice";
import { explorationDraft, explorationOf, isSameExploration } from "@/forms/exploration";
import { rewardDraft } from "@/forms/reward-plan";
import { planDraft } from "@/forms/snapshot-plan";
import { setting } from "@/lib/number";
import {
  algorithmOf,
  anatomyOf,
  changeDraft,
  type Choices,
  type Draft,
  environmentOf,
  evaluationFrom,
  evaluationOf,
  firstDraft,
  type Part,
  presetOf,
  schemasOf,
  type Typed,
  untouched,
  usualExploration,
} from "./draft";
import { explorationChoices } from "./submit";

const KEY = "rlviz.new-run";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Keeps the draft in `store` (the tab's session storage); an unedited draft is removed from it. */
export function saveDraft(store: Store, choices: Choices, draft: Draft) {
  if (isUnedited(choices, draft)) return clearDraft(store);
  attempt(() => store.setItem(KEY, JSON.stringify(draft)));
}

/** Whether the draft is still the initial one. */
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

/** If the browser forbids storage, nothing is saved. */
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
    isObjectOrNull(record.exploration) &&
    isObjectOrNull(record.reward) &&
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

const COPY = " (copy)";

/**
 * A draft that repeats a run: its preset, every value that differs from the preset as an edit, `rules` and `sinks`. Null if
 * its algorithm can no longer train on its environment here, or its configuration cannot be read.
 */
export function draftFromRun(
  choices: Choices,
  { name, config }: RunDetail,
  rules: readonly Rule[] = [],
  sinks: readonly SinkKind[] = [],
): Draft | null {
  if (config === null) return null;
  const environment = environmentOfRun(
    choices.environments.find(({ id }) => id === config.env_id),
    config,
  );
  if (!environment?.available || !environment.algorithms.includes(config.algo)) return null;
  let draft = changeDraft(choices, firstDraft(choices), { field: "env", value: config.env_id });
  const differing = (part: Part, values: Record<string, unknown>): Typed =>
    Object.fromEntries(
      schemasOf(choices, draft, part)
        .filter((schema) => differs(schema, values, untouched(choices, draft, part, schema)))
        .map((schema) => [schema.name, setting(values[schema.name])]),
    );
  // First, because the options decide which algorithms and presets there are.
  draft = { ...draft, env_options: differing("env_options", config.env_options ?? {}) };
  draft = changeDraft(choices, draft, { field: "algo", value: config.algo });
  draft = changeDraft(choices, draft, { field: "preset", value: config.preset ?? "" });
  const evaluation = evaluationFrom(config.evaluation);
  const planned = presetOf(choices, draft)?.total_timesteps;
  const usual = explorationOf(
    usualExploration(choices, draft),
    choices.limits,
    explorationChoices(choices, draft),
  );
  return {
    ...draft,
    name: `${name.slice(0, choices.limits.run_name.maximum - COPY.length)}${COPY}`,
    seed: String(config.seed),
    timesteps: config.total_timesteps === planned ? null : String(config.total_timesteps),
    hyperparameters: differing("hyperparameters", config.hyperparameters),
    evaluation: same(evaluation, evaluationOf(choices, draft)) ? null : evaluation,
    anatomy: config.anatomy === anatomyOf(choices, draft) ? null : (config.anatomy ?? null),
    exploration: isSameExploration(config.exploration ?? null, usual.plan)
      ? null
      : explorationDraft(config.exploration, choices.limits),
    reward: config.reward ? rewardDraft(config.reward) : null,
    snapshots: planOfRun(choices, config),
    rules: rules.map(draftOf),
    sinks,
  };
}

/** Null for the default plan. The size limit is left to the service if the run had the service's limit. */
function planOfRun({ limits }: Choices, { snapshots }: RunConfig): Draft["snapshots"] {
  const draft = { ...planDraft(snapshots, limits), megabytes: "" };
  return same(draft, planDraft(null, limits)) ? null : draft;
}

function differs({ name }: Hyperparameter, values: Record<string, unknown>, own: unknown): boolean {
  return name in values && setting(values[name]) !== setting(own);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
