import type { Algorithm, Environment, Hyperparameter, Preset } from "./types";

export type OptionValues = Readonly<Record<string, unknown>>;

/**
 * The environment with these options: its spaces, limits, threshold, algorithms and presets. Options that are
 * left out have their defaults.
 */
export function variantFor(environment: Environment, options: OptionValues = {}): Environment {
  const { options: fields, variants } = environment;
  if (variants.length === 0) return environment;
  const defaults = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  const chosen: OptionValues = { ...defaults, ...options };
  const variant = variants.find((each) =>
    Object.entries(each.options).every(([name, value]) => chosen[name] === value),
  );
  return variant ? { ...environment, ...variant, options: fields } : environment;
}

/** The presets of an algorithm as they apply to an environment; the general ones while either is not known. */
export function presetsFor(
  environment: Environment | undefined,
  algorithm: Algorithm | undefined,
): readonly Preset[] {
  const general = algorithm?.presets ?? [];
  return (algorithm && environment?.presets[algorithm.id]) ?? general;
}

/** The preset to begin with: the one that was measured to work, or else the first. */
export function recommendedPreset(presets: readonly Preset[]): Preset | undefined {
  return presets.find(({ recommended }) => recommended) ?? presets[0];
}

/** The hyperparameters of an algorithm; those that the environment's spaces rule out are left out. */
export function hyperparametersFor(
  environment: Environment | undefined,
  algorithm: Algorithm | undefined,
): readonly Hyperparameter[] {
  const schemas = algorithm?.hyperparameters ?? [];
  return environment ? schemas.filter(({ needs }) => !needs || has(environment, needs)) : schemas;
}

function has(
  { observation_space: seen, action_space: done }: Environment,
  need: NonNullable<Hyperparameter["needs"]>,
): boolean {
  return need === "real-observations" ? seen.is_real : done.kind === "Box";
}

/** Mean return of random actions in `environment` with the options of a run; null if it was not measured with these. */
export function randomReturnOfRun(
  environment: Environment | undefined,
  { env_options = {} }: { env_options?: OptionValues },
): number | null {
  const isDefault = environment?.options.every(
    (option) => (env_options[option.name] ?? option.default) === option.default,
  );
  return isDefault ? (environment?.random_return?.mean ?? null) : null;
}

/** `environment` with the options of a run; undefined while it loads, or if the service no longer offers it. */
export function environmentOfRun(
  environment: Environment | undefined,
  { env_options }: { env_options?: OptionValues },
): Environment | undefined {
  return environment && variantFor(environment, env_options);
}
