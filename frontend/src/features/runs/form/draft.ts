import type {
  Algorithm,
  Environment,
  Hyperparameter,
  Limits,
  Preset,
  RunConfig,
  SinkKind,
} from "@/api/types";
import { hyperparametersFor, presetsFor, variantFor } from "@/api/variant";
import { fittingValues } from "@/forms/parse";
import type { RuleDraft } from "@/forms/rules/draft";
import type { SeedChoice } from "@/forms/seed-choice";
import type { PlanDraft } from "@/forms/snapshot-plan";
import { setting } from "@/lib/number";

/** Typed text by name of the field. A field without an entry was not edited. */
export type Typed = Readonly<Record<string, string>>;

/** Parts of a run's configuration whose fields are described by a schema. */
export type Part = "hyperparameters" | "env_options";

/** The fields of evaluation during training, as typed. */
export interface EvaluationDraft {
  on: boolean;
  every: string;
  episodes: string;
  /** Whether to end training after `stopAfter` evaluations in a row that reach the threshold. */
  stops: boolean;
  stopAfter: string;
}

/**
 * The state of the new-run form, with every value as typed. `null`: not edited, so the preset's value
 * applies.
 */
export interface Draft {
  algo: string;
  /**
   * The algorithm that the user selected; empty until then. `algo` is another one while this one cannot train
   * on the environment.
   */
  wanted: string;
  env: string;
  preset: string;
  /** The first seed, or a list of them if `seeds` says so. */
  seed: string;
  seeds: SeedChoice;
  name: string;
  timesteps: string | null;
  hyperparameters: Typed;
  env_options: Typed;
  /** `null`: not edited. */
  evaluation: EvaluationDraft | null;
  /** Whether to record the anatomy of updates. `null`: not edited. */
  anatomy: boolean | null;
  /** When snapshots are taken. `null`: not edited. */
  snapshots: PlanDraft | null;
  /** What the run shall do by itself. */
  rules: readonly RuleDraft[];
  /** Other programs that it is delivered to as it trains. */
  sinks: readonly SinkKind[];
}

export interface Choices {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
  limits: Limits;
}

const NO_EVALUATION: EvaluationDraft = {
  on: false,
  every: "10000",
  episodes: "10",
  stops: false,
  stopAfter: "3",
};

export function algorithmOf({ algorithms }: Choices, { algo }: Draft): Algorithm | undefined {
  return algorithms.find(({ id }) => id === algo);
}

/** The selected environment with its options applied. An option that is not valid yet counts as its default. */
export function environmentOf(
  { environments }: Choices,
  { env, env_options }: Draft,
): Environment | undefined {
  const environment = environments.find(({ id }) => id === env);
  if (!environment) return undefined;
  return variantFor(environment, fittingValues(environment.options, env_options));
}

export function presetsOf(choices: Choices, draft: Draft): readonly Preset[] {
  return presetsFor(environmentOf(choices, draft), algorithmOf(choices, draft));
}

export function presetOf(choices: Choices, draft: Draft): Preset | undefined {
  return presetsOf(choices, draft).find(({ id }) => id === draft.preset);
}

export function timestepsOf(choices: Choices, draft: Draft): string {
  const usual =
    presetOf(choices, draft)?.total_timesteps ??
    algorithmOf(choices, draft)?.total_timesteps.default;
  return draft.timesteps ?? String(usual ?? "");
}

/** The evaluation fields for a plan from a preset or a run's config. */
export function evaluationFrom(plan: RunConfig["evaluation"] | null): EvaluationDraft {
  const { every_steps, episodes, stop_after } = plan ?? {};
  if (every_steps == null) return NO_EVALUATION;
  return {
    on: true,
    every: String(every_steps),
    episodes: String(episodes ?? NO_EVALUATION.episodes),
    stops: stop_after != null,
    stopAfter: String(stop_after ?? NO_EVALUATION.stopAfter),
  };
}

/** The evaluation fields: as edited, or else as the preset has them. */
export function evaluationOf(choices: Choices, draft: Draft): EvaluationDraft {
  return draft.evaluation ?? evaluationFrom(presetOf(choices, draft)?.evaluation ?? null);
}

/**
 * Whether to record the anatomy of updates. Default: yes, unless observations are pictures, since their
 * networks are large.
 */
export function anatomyOf(choices: Choices, draft: Draft): boolean {
  return draft.anatomy ?? environmentOf(choices, draft)?.observation_space.is_picture === false;
}

/** Schemas of a part's fields. Hyperparameters that the environment's spaces rule out are left out. */
export function schemasOf(choices: Choices, draft: Draft, part: Part): readonly Hyperparameter[] {
  const environment = environmentOf(choices, draft);
  if (part !== "hyperparameters") return environment?.options ?? [];
  return hyperparametersFor(environment, algorithmOf(choices, draft));
}

/** The value of a field that was not edited: the preset's, or else the schema's default. */
export function untouched(
  choices: Choices,
  draft: Draft,
  part: Part,
  { name, default: fallback }: Hyperparameter,
): unknown {
  const preset = part === "hyperparameters" ? presetOf(choices, draft)?.hyperparameters : undefined;
  return preset && name in preset ? preset[name] : fallback;
}

/** Schemas of the fields of a part whose value differs from the unedited one. */
export function changedFields(choices: Choices, draft: Draft, part: Part): Hyperparameter[] {
  return schemasOf(choices, draft, part).filter((schema) => {
    const typed = draft[part][schema.name];
    return typed !== undefined && typed !== setting(untouched(choices, draft, part, schema));
  });
}
