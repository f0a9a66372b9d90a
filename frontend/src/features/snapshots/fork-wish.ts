import { parseHyperparameter, parseInteger } from "@/components/schema-field";
import type { Algorithm, ForkChanges, ForkRun, Hyperparameter, RunConfig } from "@/lib/api";
import { setting } from "@/lib/format";

/** What was typed in the form of a fork. Hyperparameters without an entry were not edited. */
export interface ForkDraft {
  name: string;
  /** Blank: the parent's. */
  seed: string;
  timesteps: string;
  hyperparameters: Record<string, string>;
}

/** Where a fork begins: at `step`, when the service is asked for `wish`. */
export interface ForkStart {
  step: number;
  wish: Pick<ForkRun, "snapshot" | "step">;
}

/** What is wrong, by JSON pointer of the field. */
type Problems = Record<string, string>;

export const pointerTo = (name: string) => `/hyperparameters/${name}`;

/** A hyperparameter that cannot change at a fork. */
export interface FixedSetting {
  name: string;
  value: unknown;
  why: string;
}

/** The parent's hyperparameters: those with a field in the form, and those that cannot change. */
export function forkSettings(
  { hyperparameters: values }: RunConfig,
  { hyperparameters: schemas }: Algorithm,
  { changes }: ForkChanges,
) {
  const changeable: Hyperparameter[] = [];
  const fixed: FixedSetting[] = [];
  for (const { name, effect, why } of changes) {
    const schema = schemas.find((one) => one.name === name);
    if (!(name in values)) continue;
    if (effect === "refused") fixed.push({ name, value: values[name], why: why ?? "" });
    else if (schema && effect === "fits") changeable.push(schema);
    else if (schema) {
      changeable.push({ ...schema, help: `${schema.help} Environments begin a new episode.` });
    }
  }
  return { changeable, fixed };
}

/** The request for a fork of the run with `config`, and the problems that prevent it. */
export function forkWish(
  config: RunConfig,
  { seed: seeds, total_timesteps: lengths }: Algorithm,
  schemas: readonly Hyperparameter[],
  draft: ForkDraft,
  start: ForkStart,
): { body: ForkRun; problems: Problems } {
  const problems: Problems = {};
  const integer = (pointer: string, text: string, bounds: Parameters<typeof parseInteger>[1]) => {
    const parsed = parseInteger(text, bounds);
    if (parsed.ok) return parsed.value as number;
    problems[pointer] = parsed.problem;
  };
  const hyperparameters: Record<string, unknown> = {};
  for (const schema of schemas) {
    const typed = draft.hyperparameters[schema.name];
    if (typed === undefined || typed === setting(config.hyperparameters[schema.name])) continue;
    const parsed = parseHyperparameter(schema, typed);
    if (parsed.ok) hyperparameters[schema.name] = parsed.value;
    else problems[pointerTo(schema.name)] = parsed.problem;
  }
  const beyond = Math.max(lengths.minimum, start.step + 1);
  const body = {
    ...start.wish,
    hyperparameters,
    total_timesteps: integer("/total_timesteps", draft.timesteps, { ...lengths, minimum: beyond }),
    ...(draft.seed.trim() !== "" && { seed: integer("/seed", draft.seed, seeds) }),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
  };
  return { body: body as ForkRun, problems };
}
