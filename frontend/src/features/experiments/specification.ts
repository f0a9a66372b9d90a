import type { CreateExperiment } from "@/lib/api";
import { parseNumber } from "@/lib/format";
import {
  type ExperimentDraft,
  fieldsOf,
  type Offer,
  presetOf,
  type VariantDraft,
  variantName,
} from "./draft";
import { readRow } from "./sweep-draft";
import { parseValue, parseValues } from "./typed-values";

/** What the form holds as the service takes it. */
export interface ReadDraft {
  specification: CreateExperiment;
  /** By place in the form, such as `grid/gamma` or `space/gamma`, what has to be typed otherwise. */
  problems: ReadonlyMap<string, string>;
  runs: number;
  /**
   * Environment steps of all runs together, not counting that typed lengths are rounded up to whole rollouts;
   * null where a length is not known before it is asked for.
   */
  steps: number | null;
}

/** Judged so often, a trial is given up early enough to save something. */
const EVALUATIONS = 10;
const LEAST_BETWEEN = 100;
const EVALUATED_EPISODES = 5;

export function readDraft(draft: ExperimentDraft, offer: Offer): ReadDraft {
  const problems = new Map<string, string>();
  const typed = typedSteps(draft);
  if (typed !== null && !(Number.isSafeInteger(typed) && typed >= 1)) {
    problems.set("steps", "Give a whole number, or nothing");
  }
  const varied = { variants, grid, search }[draft.kind](draft, offer, problems);
  return { ...varied, problems };
}

type Varied = Omit<ReadDraft, "problems">;
type Problems = Map<string, string>;

function variants(draft: ExperimentDraft, offer: Offer, problems: Problems): Varied {
  const seeds = Number(draft.seeds);
  const lengths = draft.variants.map((variant) => lengthOf(draft, variant, offer));
  return {
    specification: {
      base: { env_id: draft.env, total_timesteps: typedSteps(draft) },
      variants: draft.variants.map((variant, place) => {
        const hyperparameters = changesOf(variant, offer, `variants/${place}`, problems);
        return {
          name: variantName(variant, offer),
          changes: {
            ...{ algo: variant.algo, preset: variant.preset || "none" },
            ...(Object.keys(hyperparameters).length > 0 && { hyperparameters }),
          },
        };
      }),
      seeds,
    },
    runs: draft.variants.length * seeds,
    steps: lengths.some((length) => length === null)
      ? null
      : seeds * lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0),
  };
}

function grid(draft: ExperimentDraft, offer: Offer, problems: Problems): Varied {
  const fields = fieldsOf(offer, draft.base.algo);
  const values: Record<string, unknown[]> = {};
  for (const { name, text } of draft.grid) {
    const schema = fields.get(name);
    const parsed = schema && parseValues(schema, text);
    if (parsed?.ok) values[name] = parsed.values;
    else if (parsed) problems.set(`grid/${name}`, parsed.problem);
  }
  if (draft.grid.length === 0) problems.set("grid", "Add a hyperparameter");
  const combinations = Object.values(values).reduce((product, { length }) => product * length, 1);
  const seeds = Number(draft.seeds);
  return {
    specification: {
      ...{ base: baseOf(draft), seeds },
      grid: values as CreateExperiment["grid"],
    },
    ...counted(combinations * seeds, lengthOf(draft, draft.base, offer)),
  };
}

function search(draft: ExperimentDraft, offer: Offer, problems: Problems): Varied {
  const { space: rows, sampler, pruner } = draft.sweep;
  const fields = fieldsOf(offer, draft.base.algo);
  const space: NonNullable<CreateExperiment["sweep"]>["space"] = {};
  for (const row of rows.filter(({ searched }) => searched)) {
    const schema = fields.get(row.name);
    const read = schema && readRow(row, schema, rows);
    if (read?.ok) space[row.name] = read.parameter;
    else if (read) problems.set(`space/${row.name}`, read.problem);
  }
  if (!rows.some(({ searched }) => searched)) problems.set("space", "Search at least one");
  const trials = wholeNumber(draft.sweep.trials, "trials", problems);
  const seeds = wholeNumber(draft.sweep.seeds, "seeds_per_trial", problems);
  const length = lengthOf(draft, draft.base, offer);
  if (pruner !== "none" && length === null) {
    problems.set("steps", "Give them: trials are judged at every tenth, to be given up");
  }
  const every = Math.max(LEAST_BETWEEN, Math.floor((length ?? 0) / EVALUATIONS));
  return {
    specification: {
      base: {
        ...baseOf(draft),
        ...(pruner !== "none" && {
          evaluation: { every_steps: every, episodes: EVALUATED_EPISODES, stop_after: null },
        }),
      },
      sweep: { space, sampler, pruner, trials, seeds_per_trial: seeds, seed: 0 },
      seeds,
    },
    ...counted(trials * seeds, length),
  };
}

function baseOf({ env, base, ...draft }: ExperimentDraft) {
  return {
    ...{ algo: base.algo, env_id: env, preset: base.preset || null },
    total_timesteps: typedSteps(draft),
  };
}

function changesOf(variant: VariantDraft, offer: Offer, at: string, problems: Problems) {
  const fields = fieldsOf(offer, variant.algo);
  const found: Record<string, never> = {};
  for (const { name, text } of variant.changes ?? []) {
    const schema = fields.get(name);
    const parsed = schema && parseValue(schema, text);
    if (parsed?.ok) found[name] = parsed.values[0] as never;
    else if (parsed) problems.set(`${at}/${name}`, parsed.problem);
  }
  return found;
}

function typedSteps({ steps }: Pick<ExperimentDraft, "steps">): number | null {
  return steps.trim() === "" ? null : parseNumber(steps);
}

/** Environment steps of one run of a variant; null where they are not known, or are no number. */
function lengthOf(draft: ExperimentDraft, variant: VariantDraft, offer: Offer): number | null {
  const steps = typedSteps(draft) ?? presetOf(offer, variant)?.end_step;
  return steps !== undefined && Number.isFinite(steps) ? steps : null;
}

function counted(runs: number, length: number | null) {
  return { runs, steps: length === null ? null : runs * length };
}

function wholeNumber(text: string, at: string, problems: Problems): number {
  const value = parseNumber(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  problems.set(at, "Give a whole number");
  return 1;
}
