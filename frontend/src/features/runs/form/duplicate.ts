import type { Hyperparameter, Rule, RunConfig, RunDetail, SinkKind } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { draftOf } from "@/forms/rules/draft";
import { planDraft } from "@/forms/snapshot-plan";
import { setting } from "@/lib/number";
import { changeDraft, firstDraft } from "./change-draft";
import {
  anatomyOf,
  type Choices,
  type Draft,
  evaluationFrom,
  evaluationOf,
  type Part,
  presetOf,
  schemasOf,
  type Typed,
  untouched,
} from "./draft";

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
  const environment = environmentOfRun(choices.environments, config);
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
  return {
    ...draft,
    name: `${name.slice(0, choices.limits.run_name.maximum - COPY.length)}${COPY}`,
    seed: String(config.seed),
    timesteps: config.total_timesteps === planned ? null : String(config.total_timesteps),
    hyperparameters: differing("hyperparameters", config.hyperparameters),
    evaluation: same(evaluation, evaluationOf(choices, draft)) ? null : evaluation,
    anatomy: config.anatomy === anatomyOf(choices, draft) ? null : (config.anatomy ?? null),
    snapshots: planOfRun(choices, config),
    rules: rules.map(draftOf),
    sinks,
  };
}

/** Null for the usual plan. What snapshots may take is left to the service where the run had what that is set to. */
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
