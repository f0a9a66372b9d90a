import { recommendedPreset } from "@/api/variant";
import { type SeedChoice, seedFor } from "@/forms/seed-choice";
import {
  type Choices,
  type Draft,
  environmentOf,
  type EvaluationDraft,
  evaluationOf,
  type Part,
  presetOf,
  presetsOf,
  type Typed,
} from "./draft";

export type DraftChange =
  | { field: "algo" | "env" | "preset" | "seed" | "name"; value: string }
  | { field: "seeds"; value: SeedChoice }
  | { field: "timesteps"; value: string | null }
  | { field: Part; name: string; value: string | null }
  | { field: "anatomy"; value: boolean }
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
    case "snapshots":
    case "rules":
    case "sinks":
      return { ...draft, [change.field]: change.value };
    case "env":
      return withValidChoices(
        {
          ...{ ...draft, ...UNTOUCHED, env: change.value, env_options: {} },
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
 * Selects the algorithm that the user wanted; else the one that is recommended there, or the current one, or
 * the first that can train there.
 */
function withValidChoices(draft: Draft, choices: Choices): Draft {
  const environment = environmentOf(choices, draft);
  const fitting = environment?.algorithms ?? [];
  const offered = choices.algorithms.map(({ id }) => id).filter((id) => fitting.includes(id));
  const candidates = [draft.wanted, environment?.recommended_algorithm, draft.algo, offered[0]];
  const algo = candidates.find((id) => id && offered.includes(id)) ?? "";
  return withValidPreset({ ...draft, algo }, choices);
}

/** Keeps the preset if there still is one of this id, or else selects the one that is recommended. */
function withValidPreset(fitted: Draft, choices: Choices): Draft {
  if (presetOf(choices, fitted)) return fitted;
  return { ...fitted, preset: recommendedPreset(presetsOf(choices, fitted))?.id ?? "" };
}

/** The preset if the user chose it; empty where it is the one that was recommended. */
function chosenPreset(choices: Choices, draft: Draft): string {
  return recommendedPreset(presetsOf(choices, draft))?.id === draft.preset ? "" : draft.preset;
}

function retyped(typed: Typed, { name, value }: { name: string; value: string | null }): Typed {
  const rest = Object.fromEntries(Object.entries(typed).filter(([other]) => other !== name));
  return value === null ? rest : { ...rest, [name]: value };
}
