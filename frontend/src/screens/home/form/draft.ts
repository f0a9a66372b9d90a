import type {
  Algorithm,
  Environment,
  Hyperparameter,
  Limits,
  Preset,
  RunConfig,
  SinkKind,
} from "@/api/types";
import { hyperparametersFor, presetsFor, recommendedPreset, variantFor } from "@/api/variant";
import { fittingValues } from "@/forms/parse";
import type { RuleDraft } from "@/forms/rules/draft";
import { type SeedChoice, seedFor } from "@/forms/seed-choice";
import { defaultExploration, type ExplorationDraft } from "@/forms/exploration";
import type { RewardDraft } from "@/forms/reward-plan";
import type { PlanDraft } from "@/forms/snapshot-plan";
import { setting } from "@/lib/number";
import type { Problems } from "./submit";

/** Typed text by name of the field. A field without an entry was not edited. */
export type Typed = Readonly<Record<string, string>>;

/** Parts of a run's configuration whose fields are described by a schema. */
export type Part = "hyperparameters" | "env_options";

/** The fields of evaluation during training, as typed. */
export interface EvaluationDraft {
  on: boolean;
  every: string;
  episodes: string;
  /** Whether actions are sampled; otherwise the most likely ones are taken. */
  sampled: boolean;
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
   * The algorithm that the user selected; empty until then. `algo` differs from it if the selected one cannot train on
   * the environment.
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
  /** Rewards for exploration, and the map. `null`: not edited. */
  exploration: ExplorationDraft | null;
  /** Weights and caps of the reward's components. `null`: not edited. */
  reward: RewardDraft | null;
  /** When snapshots are taken. `null`: not edited. */
  snapshots: PlanDraft | null;
  /** Rules, which the run carries out automatically. */
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
  sampled: false,
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
  const { every_steps, episodes, deterministic, stop_after } = plan ?? {};
  const sampled = deterministic === false;
  if (every_steps == null) return { ...NO_EVALUATION, sampled };
  return {
    on: true,
    every: String(every_steps),
    episodes: String(episodes ?? NO_EVALUATION.episodes),
    sampled,
    stops: stop_after != null,
    stopAfter: String(stop_after ?? NO_EVALUATION.stopAfter),
  };
}

/** The evaluation fields: as edited, otherwise those of the preset. */
export function evaluationOf(choices: Choices, draft: Draft): EvaluationDraft {
  return draft.evaluation ?? evaluationFrom(presetOf(choices, draft)?.evaluation ?? null);
}

/**
 * The fields of exploration until they are edited: those of the preset, with the map switched on in a world of several
 * rooms.
 */
export function usualExploration(choices: Choices, draft: Draft): ExplorationDraft {
  const world = environmentOf(choices, draft)?.world ?? null;
  return defaultExploration(world, choices.limits, presetOf(choices, draft)?.exploration);
}

/** The fields of exploration: as edited, otherwise the usual ones. */
export function explorationDraftOf(choices: Choices, draft: Draft): ExplorationDraft {
  // A draft that an earlier version of the page stored lacks some fields.
  return { ...usualExploration(choices, draft), ...draft.exploration };
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

export type DraftChange =
  | { field: "algo" | "env" | "preset" | "seed" | "name"; value: string }
  | { field: "seeds"; value: SeedChoice }
  | { field: "timesteps"; value: string | null }
  | { field: Part; name: string; value: string | null }
  | { field: "anatomy"; value: boolean }
  | { field: "exploration"; value: Draft["exploration"] }
  | { field: "reward"; value: Draft["reward"] }
  | { field: "evaluation"; value: Partial<EvaluationDraft> }
  | { field: "snapshots"; value: Draft["snapshots"] }
  | { field: "rules"; value: Draft["rules"] }
  | { field: "sinks"; value: Draft["sinks"] }
  | { field: "reset"; part: Part }
  | { field: "start-over" };

const UNTOUCHED = { timesteps: null, hyperparameters: {}, evaluation: null, anatomy: null };

const BLANK: Draft = {
  algo: "",
  wanted: "",
  env: "",
  preset: "",
  seed: "",
  seeds: 1,
  name: "",
  timesteps: null,
  hyperparameters: {},
  env_options: {},
  evaluation: null,
  anatomy: null,
  exploration: null,
  reward: null,
  snapshots: null,
  rules: [],
  sinks: [],
};

export function firstDraft(choices: Choices): Draft {
  const env = choices.environments.find(({ available }) => available) ?? choices.environments[0];
  return withValidChoices({ ...BLANK, env: env?.id ?? "" }, choices);
}

/** The draft with `environment` selected; unchanged if that is not offered, or is selected already. */
export function onEnvironment(choices: Choices, draft: Draft, environment: string | null): Draft {
  const offered = choices.environments.some(({ id, available }) => id === environment && available);
  if (environment === null || !offered || draft.env === environment) return draft;
  return changeDraft(choices, draft, { field: "env", value: environment });
}

export function changeDraft(choices: Choices, draft: Draft, change: DraftChange): Draft {
  switch (change.field) {
    case "hyperparameters":
      return { ...draft, hyperparameters: retyped(draft.hyperparameters, change) };
    case "env_options":
      return withOptions({ ...draft, env_options: retyped(draft.env_options, change) }, choices);
    case "reset":
      return withOptions({ ...draft, [change.part]: {} }, choices);
    case "start-over":
      return firstDraft(choices);
    case "evaluation":
      return { ...draft, evaluation: { ...evaluationOf(choices, draft), ...change.value } };
    case "seeds":
      return { ...draft, seeds: change.value, seed: seedFor(change.value, draft.seed) };
    case "seed":
    case "name":
    case "timesteps":
    case "anatomy":
    case "exploration":
    case "reward":
    case "snapshots":
    case "rules":
    case "sinks":
      return { ...draft, [change.field]: change.value };
    case "env":
      return withValidChoices(
        {
          ...{ ...draft, ...UNTOUCHED, exploration: null, reward: null },
          ...{ env: change.value, env_options: {} },
          preset: chosenPreset(choices, draft),
        },
        choices,
      );
    // Another algorithm or preset has values of its own, so edits are dropped.
    case "algo":
      return withValidChoices(
        { ...draft, ...UNTOUCHED, wanted: change.value, preset: chosenPreset(choices, draft) },
        choices,
      );
    case "preset":
      return withValidChoices({ ...draft, ...UNTOUCHED, preset: change.value }, choices);
  }
}

/**
 * Options can rule out the selected algorithm. It is kept if its values were edited, and the form then shows
 * the conflict.
 */
function withOptions(draft: Draft, choices: Choices): Draft {
  const { timesteps, evaluation, hyperparameters } = draft;
  const typed = timesteps ?? evaluation ?? Object.keys(hyperparameters)[0];
  return typed === undefined ? withValidChoices(draft, choices) : withValidPreset(draft, choices);
}

/**
 * Selects the algorithm that the user wanted, otherwise the recommended one, the current one, or the first that can
 * train there.
 */
function withValidChoices(draft: Draft, choices: Choices): Draft {
  const environment = environmentOf(choices, draft);
  const fitting = environment?.algorithms ?? [];
  const offered = choices.algorithms.map(({ id }) => id).filter((id) => fitting.includes(id));
  const candidates = [draft.wanted, environment?.recommended_algorithm, draft.algo, offered[0]];
  const algo = candidates.find((id) => id && offered.includes(id)) ?? "";
  return withValidPreset({ ...draft, algo }, choices);
}

/** Keeps the preset if one with this id still exists, otherwise selects the recommended one. */
function withValidPreset(fitted: Draft, choices: Choices): Draft {
  if (presetOf(choices, fitted)) return fitted;
  return { ...fitted, preset: recommendedPreset(presetsOf(choices, fitted))?.id ?? "" };
}

/** The preset if the user chose it; empty if it was only recommended. */
function chosenPreset(choices: Choices, draft: Draft): string {
  return recommendedPreset(presetsOf(choices, draft))?.id === draft.preset ? "" : draft.preset;
}

function retyped(typed: Typed, { name, value }: { name: string; value: string | null }): Typed {
  const rest = Object.fromEntries(Object.entries(typed).filter(([other]) => other !== name));
  return value === null ? rest : { ...rest, [name]: value };
}

const ACTIONS: Record<string, string> = {
  Discrete: "discrete",
  Box: "continuous",
  MultiDiscrete: "multi-discrete",
  MultiBinary: "on-off",
};

const OBSERVATIONS: Record<string, string> = {
  Discrete: "discrete",
  Box: "numeric",
  MultiDiscrete: "multi-discrete",
  MultiBinary: "on-off",
  Tuple: "compound",
};

/** Why an algorithm cannot train on an environment, in a few words; null if it can. */
export function whyIncompatible(algorithm: Algorithm, environment: Environment): string | null {
  if (environment.algorithms.includes(algorithm.id)) return null;
  if (!algorithm.action_spaces.includes(environment.action_space.kind)) {
    return `Needs ${either(algorithm.action_spaces, ACTIONS)} actions`;
  }
  if (!algorithm.observation_spaces.includes(environment.observation_space.kind)) {
    return `Needs ${either(algorithm.observation_spaces, OBSERVATIONS)} observations`;
  }
  return environment.action_space.kind === "Box"
    ? "Needs actions with a lower and a different upper bound"
    : `Does not fit ${environment.name}`;
}

/** Observation and action space in words, for instance `4 numbers → 2 actions`. */
export function spacesText({ observation_space: sees, action_space: does }: Environment): string {
  return `${inWords(sees, "state", "number")} → ${inWords(does, "action", "continuous action")}`;
}

function inWords({ kind, n, shape }: Environment["action_space"], one: string, number: string) {
  if (kind === "Discrete" && n !== null) return `${n.toLocaleString("en-US")} ${one}s`;
  const size = shape.reduce((product, side) => product * side, 1);
  if (shape.length > 1) return `${shape.join("×")} ${number}s`;
  return `${size} ${number}${size === 1 ? "" : "s"}`;
}

function either(kinds: readonly string[], words: Record<string, string>): string {
  return kinds.map((kind) => words[kind] ?? kind).join(" or ");
}

/** Why the draft's algorithm cannot train on its environment, with the options that are set; null if it can. */
export function whyDraftIncompatible(choices: Choices, draft: Draft): string | null {
  const algorithm = algorithmOf(choices, draft);
  const environment = environmentOf(choices, draft);
  return algorithm && environment ? whyIncompatible(algorithm, environment) : null;
}

/** A sentence that says which algorithm is used instead of the wanted one; empty if the wanted one is used. */
export function replacedAlgorithmNote(choices: Choices, draft: Draft): string {
  const wanted = algorithmOf(choices, { ...draft, algo: draft.wanted });
  const now = algorithmOf(choices, draft);
  const why = whyDraftIncompatible(choices, { ...draft, algo: draft.wanted });
  if (!wanted || !now || !why || wanted === now) return "";
  return `${wanted.name} cannot train here (${why.charAt(0).toLowerCase()}${why.slice(1)}), so ${now.name} was chosen.`;
}

/** Props of every section of the form: the choices, the state, how to change it, and what is wrong. */
export interface FieldsProps {
  choices: Choices;
  draft: Draft;
  edit: (change: DraftChange) => void;
  problems: Problems;
}
