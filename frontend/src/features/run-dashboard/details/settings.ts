import type { Environment, Preset, RunConfig } from "@/api/types";
import { environmentOfRun } from "@/api/variant";

export interface Setting {
  name: string;
  value: unknown;
  /** The preset's value, if it differs. */
  preset?: unknown;
}

/** The preset that a run was created with, for the run's environment and its options. */
export function presetOf(config: RunConfig, environments: readonly Environment[]): Preset | null {
  const environment = environmentOfRun(environments, config);
  return environment?.presets[config.algo]?.find(({ id }) => id === config.preset) ?? null;
}

/**
 * The steps to train for and all hyperparameters, those that differ from the preset first. What a person plays has no
 * length.
 */
export function settings(
  config: RunConfig,
  preset: Preset | null,
  { isPlayed = false }: { isPlayed?: boolean } = {},
): Setting[] {
  const hyperparameters = Object.entries(config.hyperparameters).map(([name, value]) =>
    compared(name, value, preset?.hyperparameters[name]),
  );
  const steps = compared("total_timesteps", config.total_timesteps, preset?.total_timesteps);
  const all = isPlayed ? hyperparameters : [steps, ...hyperparameters];
  return [...all.filter(differs), ...all.filter((setting) => !differs(setting))];
}

export function differs(setting: Setting): boolean {
  return setting.preset !== undefined;
}

function compared(name: string, value: unknown, preset: unknown): Setting {
  // A hyperparameter that the preset does not set cannot differ from it.
  const same = preset === undefined || JSON.stringify(value) === JSON.stringify(preset);
  return same ? { name, value } : { name, value, preset };
}
