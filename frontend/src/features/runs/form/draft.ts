import type { Algorithm, Environment, Preset } from "@/lib/api";

/** The form as typed. `null` means untouched: the preset's own value applies. */
export interface Draft {
  algo: string;
  env: string;
  preset: string;
  seed: string;
  name: string;
  timesteps: string | null;
  overrides: Record<string, string>;
}

export interface Choices {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
}

export type DraftChange =
  | { field: "algo" | "env" | "preset" | "seed" | "timesteps" | "name"; value: string }
  | { field: "hyperparameter"; name: string; value: string }
  | { field: "reset-hyperparameters" };

export function firstDraft({ algorithms, environments }: Choices): Draft {
  const algo = algorithms[0]?.id ?? "";
  const draft = { algo, env: "", preset: "", seed: "", name: "", timesteps: null, overrides: {} };
  return withValidChoices(draft, { algorithms, environments });
}

export function changeDraft(choices: Choices, draft: Draft, change: DraftChange): Draft {
  switch (change.field) {
    case "hyperparameter":
      return { ...draft, overrides: { ...draft.overrides, [change.name]: change.value } };
    case "reset-hyperparameters":
      return { ...draft, overrides: {} };
    case "seed":
    case "timesteps":
    case "name":
      return { ...draft, [change.field]: change.value };
    default:
      // Another algorithm, environment or preset brings its own values.
      return withValidChoices(
        { ...draft, [change.field]: change.value, timesteps: null, overrides: {} },
        choices,
      );
  }
}

export function presetsOf({ algorithms, environments }: Choices, draft: Draft): Preset[] {
  const environment = environments.find(({ id }) => id === draft.env);
  const algorithm = algorithms.find(({ id }) => id === draft.algo);
  return environment?.presets[draft.algo] ?? algorithm?.presets ?? [];
}

export function presetOf(choices: Choices, draft: Draft): Preset | undefined {
  return presetsOf(choices, draft).find(({ id }) => id === draft.preset);
}

export function timestepsOf(choices: Choices, draft: Draft): string {
  return draft.timesteps ?? String(presetOf(choices, draft)?.total_timesteps ?? "");
}

/** The environments an algorithm can act in. */
export function environmentsFor({ environments }: Choices, algo: string): Environment[] {
  return environments.filter(({ algorithms }) => algorithms.includes(algo));
}

/** Keeps the environment and the preset where they still fit, else takes the first that does. */
function withValidChoices(draft: Draft, choices: Choices): Draft {
  const fitting = environmentsFor(choices, draft.algo).map(({ id }) => id);
  const env = fitting.includes(draft.env) ? draft.env : (fitting[0] ?? "");
  const fitted = { ...draft, env };
  if (presetOf(choices, fitted)) return fitted;
  return { ...fitted, preset: presetsOf(choices, fitted)[0]?.id ?? "" };
}
