import type { Algorithm, Environment, Preset } from "@/lib/api";

/** The form as typed. `null` means untouched: the preset's own value applies. */
export interface Draft {
  algo: string;
  env: string;
  preset: string;
  seed: string;
  timesteps: string | null;
  overrides: Record<string, string>;
}

export interface Choices {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
}

export type DraftChange =
  | { field: "algo" | "env" | "preset" | "seed" | "timesteps"; value: string }
  | { field: "hyperparameter"; name: string; value: string }
  | { field: "reset-hyperparameters" };

export function firstDraft({ algorithms, environments }: Choices): Draft {
  const algo = algorithms[0]?.id ?? "";
  const env = environments.find((environment) => environment.algorithms.includes(algo))?.id ?? "";
  const draft = { algo, env, preset: "", seed: "", timesteps: null, overrides: {} };
  return withValidPreset(draft, { algorithms, environments });
}

export function changeDraft(choices: Choices, draft: Draft, change: DraftChange): Draft {
  switch (change.field) {
    case "hyperparameter":
      return { ...draft, overrides: { ...draft.overrides, [change.name]: change.value } };
    case "reset-hyperparameters":
      return { ...draft, overrides: {} };
    case "seed":
    case "timesteps":
      return { ...draft, [change.field]: change.value };
    default:
      // Another algorithm, environment or preset brings its own values.
      return withValidPreset(
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

function withValidPreset(draft: Draft, choices: Choices): Draft {
  if (presetOf(choices, draft)) return draft;
  return { ...draft, preset: presetsOf(choices, draft)[0]?.id ?? "" };
}
