import { pointerTo } from "@/api/http";
import type {
  Algorithm,
  Environment,
  ForkChanges,
  ForkRun,
  Hyperparameter,
  RunConfig,
} from "@/api/types";
import { parseHyperparameter, parseInteger } from "@/forms/parse";
import { setting } from "@/lib/number";

/** Parts of a run's configuration whose fields are described by a schema. */
export type Part = "hyperparameters" | "env_options";

/** What was typed in the form of a fork. Hyperparameters and options without an entry were not edited. */
export interface ForkDraft {
  name: string;
  /** Blank: the parent's. */
  seed: string;
  timesteps: string;
  hyperparameters: Readonly<Record<string, string>>;
  env_options: Readonly<Record<string, string>>;
}

/** Where a fork begins: at `step`, when the service is asked for `request`. */
export interface ForkStart {
  step: number;
  request: Pick<ForkRun, "snapshot" | "step">;
}

/** What is wrong, by JSON pointer of the field. */
type Problems = Record<string, string>;

/** A setting of the parent that has a field in the form. */
export interface ChangeableSetting {
  part: Part;
  schema: Hyperparameter;
  /** What the parent trains with where the fork begins. */
  value: unknown;
}

/** A setting that cannot change at a fork. */
export interface FixedSetting {
  name: string;
  value: unknown;
  why: string;
}

/** The parent's hyperparameters and options: those with a field in the form, and those that cannot change. */
export function forkSettings(
  config: RunConfig,
  algorithm: Algorithm,
  environment: Environment | undefined,
  { changes, env_options, in_force }: ForkChanges,
) {
  const changeable: ChangeableSetting[] = [];
  const fixed: FixedSetting[] = [];
  const sort = (
    part: Part,
    schemas: readonly Hyperparameter[],
    offered: ForkChanges["changes"],
    anew: string,
    changed: Readonly<Record<string, unknown>> = {},
  ) => {
    const configured: Readonly<Record<string, unknown>> = config[part] ?? {};
    const values = { ...configured, ...changed };
    for (const { name, effect, why, note } of offered) {
      const schema = schemas.find((one) => one.name === name);
      // A parent of before a setting was offered has no value of it.
      const value = name in values ? values[name] : schema?.default;
      if (value === undefined) continue;
      if (effect === "refused") fixed.push({ name, value, why: why ?? "" });
      else if (schema) {
        const was =
          name in changed
            ? ` Changed while this run trained: it began with ${setting(configured[name])}.`
            : "";
        const brings = note ? ` ${note}` : "";
        const help = `${schema.help}${effect === "anew" ? anew : ""}${brings}${was}`;
        changeable.push({ part, value, schema: { ...schema, help } });
      }
    }
  };
  const anew = " Environments begin a new episode.";
  sort("hyperparameters", algorithm.hyperparameters, changes, anew, in_force);
  sort("env_options", environment?.options ?? [], env_options, "");
  return { changeable, fixed };
}

/** The request for a fork of a run with these `settings`, and the problems that prevent it. */
export function forkRequest(
  { seed: seeds, total_timesteps: lengths }: Algorithm,
  settings: readonly ChangeableSetting[],
  draft: ForkDraft,
  start: ForkStart,
): { body: ForkRun; problems: Problems } {
  const problems: Problems = {};
  const integer = (pointer: string, text: string, bounds: Parameters<typeof parseInteger>[1]) => {
    const parsed = parseInteger(text, bounds);
    if (parsed.ok) return parsed.value as number;
    problems[pointer] = parsed.problem;
  };
  const changed: Record<Part, Record<string, unknown>> = { hyperparameters: {}, env_options: {} };
  for (const { part, schema, value } of settings) {
    const typed = draft[part][schema.name];
    if (typed === undefined || typed === setting(value)) continue;
    const parsed = parseHyperparameter(schema, typed);
    if (parsed.ok) changed[part][schema.name] = parsed.value;
    else problems[pointerTo(part, schema.name)] = parsed.problem;
  }
  const beyond = Math.max(lengths.minimum, start.step + 1);
  const body = {
    ...start.request,
    hyperparameters: changed.hyperparameters,
    ...(Object.keys(changed.env_options).length > 0 && { env_options: changed.env_options }),
    total_timesteps: integer("/total_timesteps", draft.timesteps, { ...lengths, minimum: beyond }),
    ...(draft.seed.trim() !== "" && { seed: integer("/seed", draft.seed, seeds) }),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
  };
  return { body: body as ForkRun, problems };
}
