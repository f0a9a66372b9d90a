import {
  type Algorithm,
  type Environment,
  type Hyperparameter,
  type Limits,
  type Preset,
  type RunConfig,
  variantFor,
} from "@/lib/api";
import { setting } from "@/lib/format";
import { parseHyperparameter } from "./parse";

/** Typed text by the name of its field; a field that is not here keeps the value it has without us. */
export type Typed = Readonly<Record<string, string>>;

/** The parts of a run that are made from a schema. */
export type Part = "hyperparameters" | "env_options";

/** Evaluation while training, as typed. */
export interface EvaluationDraft {
  on: boolean;
  every: string;
  episodes: string;
  /** Ends training after this many solved evaluations in a row. */
  stops: boolean;
  stopAfter: string;
}

/** The form as typed. `null` means untouched: the preset's own value applies. */
export interface Draft {
  algo: string;
  /** The algorithm that was asked for; another one stands in while this one cannot act. */
  wanted: string;
  env: string;
  preset: string;
  seed: string;
  name: string;
  timesteps: string | null;
  hyperparameters: Typed;
  env_options: Typed;
  /** `null` means untouched, as with the timesteps. */
  evaluation: EvaluationDraft | null;
  /** Whether updates are looked into; `null` means untouched. */
  anatomy: boolean | null;
}

export interface Choices {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
  limits: Limits;
}

export type DraftChange =
  | { field: "algo" | "env" | "preset" | "seed" | "name"; value: string }
  | { field: "timesteps"; value: string | null }
  | { field: Part; name: string; value: string | null }
  | { field: "anatomy"; value: boolean }
  | { field: "evaluation"; value: Partial<EvaluationDraft> }
  | { field: "reset"; part: Part }
  | { field: "start-over" };

const NO_EVALUATION: EvaluationDraft = {
  on: false,
  every: "10000",
  episodes: "10",
  stops: false,
  stopAfter: "3",
};

const UNTOUCHED = { timesteps: null, hyperparameters: {}, evaluation: null, anatomy: null };

const BLANK: Draft = {
  algo: "",
  wanted: "",
  env: "",
  preset: "",
  seed: "",
  name: "",
  timesteps: null,
  hyperparameters: {},
  env_options: {},
  evaluation: null,
  anatomy: null,
};

export function firstDraft(choices: Choices): Draft {
  const env = choices.environments.find(({ available }) => available) ?? choices.environments[0];
  const draft = withValidChoices({ ...BLANK, env: env?.id ?? "" }, choices);
  return { ...draft, wanted: draft.algo };
}

/** The draft on another environment, if that is offered and not the draft's own already. */
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
    case "seed":
    case "name":
    case "timesteps":
    case "anatomy":
      return { ...draft, [change.field]: change.value };
    case "env":
      return withValidChoices(
        { ...draft, ...UNTOUCHED, env: change.value, env_options: {} },
        choices,
      );
    // Another algorithm or preset brings its own values.
    case "algo":
      return withValidChoices({ ...draft, ...UNTOUCHED, wanted: change.value }, choices);
    case "preset":
      return withValidChoices({ ...draft, ...UNTOUCHED, preset: change.value }, choices);
  }
}

export function algorithmOf({ algorithms }: Choices, { algo }: Draft): Algorithm | undefined {
  return algorithms.find(({ id }) => id === algo);
}

/** The environment as the options that were typed make it; an option that is not valid yet has its default. */
export function environmentOf(
  { environments }: Choices,
  { env, env_options }: Draft,
): Environment | undefined {
  const environment = environments.find(({ id }) => id === env);
  if (!environment) return undefined;
  const options: Record<string, unknown> = {};
  for (const field of environment.options) {
    const text = env_options[field.name];
    const parsed = text === undefined ? null : parseHyperparameter(field, text);
    if (parsed?.ok) options[field.name] = parsed.value;
  }
  return variantFor(environment, options);
}

export function presetsOf(choices: Choices, draft: Draft): readonly Preset[] {
  return (
    environmentOf(choices, draft)?.presets[draft.algo] ?? algorithmOf(choices, draft)?.presets ?? []
  );
}

export function presetOf(choices: Choices, draft: Draft): Preset | undefined {
  return presetsOf(choices, draft).find(({ id }) => id === draft.preset);
}

export function timestepsOf(choices: Choices, draft: Draft): string {
  return draft.timesteps ?? String(presetOf(choices, draft)?.total_timesteps ?? "");
}

/** A plan of evaluations as the form shows it. */
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

/** What was typed, or what the preset brings. */
export function evaluationOf(choices: Choices, draft: Draft): EvaluationDraft {
  return draft.evaluation ?? evaluationFrom(presetOf(choices, draft)?.evaluation ?? null);
}

/** What was chosen; else unless the agent sees pictures, whose networks are large. */
export function anatomyOf(choices: Choices, draft: Draft): boolean {
  return draft.anatomy ?? environmentOf(choices, draft)?.observation_space.is_picture === false;
}

/** The fields of a part, as the service describes them: those that make sense in the environment. */
export function schemasOf(choices: Choices, draft: Draft, part: Part): readonly Hyperparameter[] {
  const environment = environmentOf(choices, draft);
  if (part !== "hyperparameters") return environment?.options ?? [];
  const schemas = algorithmOf(choices, draft)?.hyperparameters ?? [];
  return environment ? schemas.filter(({ needs }) => !needs || has(environment, needs)) : schemas;
}

function has(
  { observation_space: seen, action_space: done }: Environment,
  need: NonNullable<Hyperparameter["needs"]>,
): boolean {
  return need === "real-observations" ? seen.is_real : done.kind === "Box";
}

/** The value a field has while nobody touches it: the preset's for a hyperparameter, else its default. */
export function untouched(
  choices: Choices,
  draft: Draft,
  part: Part,
  { name, default: fallback }: Hyperparameter,
): unknown {
  const preset = part === "hyperparameters" ? presetOf(choices, draft)?.hyperparameters : undefined;
  return preset && name in preset ? preset[name] : fallback;
}

/** The fields of a part that were given another value than they have by themselves. */
export function changedFields(choices: Choices, draft: Draft, part: Part): Hyperparameter[] {
  return schemasOf(choices, draft, part).filter((schema) => {
    const typed = draft[part][schema.name];
    return typed !== undefined && typed !== setting(untouched(choices, draft, part, schema));
  });
}

/** Other options may ask for another algorithm. What was typed for this one is kept, and the misfit marked. */
function withOptions(draft: Draft, choices: Choices): Draft {
  const { timesteps, evaluation, hyperparameters } = draft;
  const typed = timesteps ?? evaluation ?? Object.keys(hyperparameters)[0];
  return typed === undefined ? withValidChoices(draft, choices) : withValidPreset(draft, choices);
}

/** Takes the algorithm that was asked for, else the one there is, else the first that fits. */
function withValidChoices(draft: Draft, choices: Choices): Draft {
  const fitting = environmentOf(choices, draft)?.algorithms ?? [];
  const offered = choices.algorithms.map(({ id }) => id).filter((id) => fitting.includes(id));
  const algo = [draft.wanted, draft.algo].find((id) => offered.includes(id)) ?? offered[0] ?? "";
  return withValidPreset({ ...draft, algo }, choices);
}

/** Keeps the preset where there still is one of its name. */
function withValidPreset(fitted: Draft, choices: Choices): Draft {
  if (presetOf(choices, fitted)) return fitted;
  return { ...fitted, preset: presetsOf(choices, fitted)[0]?.id ?? "" };
}

function retyped(typed: Typed, { name, value }: { name: string; value: string | null }): Typed {
  const rest = Object.fromEntries(Object.entries(typed).filter(([other]) => other !== name));
  return value === null ? rest : { ...rest, [name]: value };
}
