import { type Environment, environmentOfRun, type Preset, type RunConfig } from "@/lib/api";

export interface Setting {
  name: string;
  value: unknown;
  /** What the preset has instead; undefined where they agree or nothing is known. */
  preset?: unknown;
}

/** The preset a run was made from, as it applies to the run's environment and its options. */
export function presetOf(config: RunConfig, environments: readonly Environment[]): Preset | null {
  const environment = environmentOfRun(environments, config);
  return environment?.presets[config.algo]?.find(({ id }) => id === config.preset) ?? null;
}

/** All hyperparameters, those that differ from the preset first. */
export function settings(config: RunConfig, preset: Preset | null): Setting[] {
  const hyperparameters = Object.entries(config.hyperparameters).map(([name, value]) =>
    compared(name, value, preset?.hyperparameters[name]),
  );
  const steps = compared("total_timesteps", config.total_timesteps, preset?.total_timesteps);
  const all = [steps, ...hyperparameters];
  return [...all.filter(differs), ...all.filter((setting) => !differs(setting))];
}

export function differs(setting: Setting): boolean {
  return setting.preset !== undefined;
}

function compared(name: string, value: unknown, preset: unknown): Setting {
  // A setting that the preset does not know cannot differ from it.
  const same = preset === undefined || JSON.stringify(value) === JSON.stringify(preset);
  return same ? { name, value } : { name, value, preset };
}
