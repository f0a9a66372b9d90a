import type { Environment } from "./types";

export type OptionValues = Readonly<Record<string, unknown>>;

/**
 * The environment as these values of its options make it: its spaces, limits, threshold, algorithms and
 * presets. Options that are left out have their defaults.
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

/** What random actions earn where a run trained; null where that is not known: its options were not measured. */
export function randomReturnOfRun(
  environments: readonly Environment[] | undefined,
  { env_id, env_options = {} }: { env_id: string; env_options?: OptionValues },
): number | null {
  const environment = environments?.find(({ id }) => id === env_id);
  const isDefault = environment?.options.every(
    (option) => (env_options[option.name] ?? option.default) === option.default,
  );
  return isDefault ? (environment?.random_return?.mean ?? null) : null;
}

/** What a run trained in; undefined while the environments are unknown, or no longer offer it. */
export function environmentOfRun(
  environments: readonly Environment[] | undefined,
  { env_id, env_options }: { env_id: string; env_options?: OptionValues },
): Environment | undefined {
  const environment = environments?.find(({ id }) => id === env_id);
  return environment && variantFor(environment, env_options);
}
