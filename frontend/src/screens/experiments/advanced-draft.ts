import type { CreateExperiment, Hyperparameter, Limits } from "@/api/types";
import { type Bounds, parseHyperparameter, parseInteger } from "@/forms/parse";
import { parseNumber, setting } from "@/lib/number";

type Specification = Pick<
  CreateExperiment,
  "fail_mode" | "retries" | "parallel" | "memory_per_worker" | "score" | "limits"
>;

const MEGABYTE = 1_000_000;

/** How an experiment is carried out, as typed. Empty fields use the service's defaults. */
export interface AdvancedDraft {
  /** Episodes that give a trial its score, which policy plays them, and how. */
  episodes: string;
  policy: NonNullable<NonNullable<CreateExperiment["score"]>["policy"]>;
  /** How actions are chosen for the score; `usual`: as in evaluations during training. */
  actions: "usual" | "greedy" | "sampled";
  /** Environment steps between evaluations while a run trains. */
  every: string;
  /** Runs at once. */
  parallel: string;
  /** Megabytes for the buffers of each run. */
  memory: string;
  failMode: NonNullable<CreateExperiment["fail_mode"]>;
  retries: string;
  /** Limits after which no trial starts. */
  minutes: string;
  coreSeconds: string;
  mostSteps: string;
  /** Seed of what proposes the values of a search. */
  samplerSeed: string;
}

export const FIRST_ADVANCED: AdvancedDraft = {
  ...{ episodes: "", policy: "best", actions: "usual", every: "", parallel: "", memory: "" },
  ...{ failMode: "retry", retries: "", minutes: "", coreSeconds: "", mostSteps: "" },
  samplerSeed: "",
};

export const FAIL_MODES: Record<AdvancedDraft["failMode"], string> = {
  retry: "Train it again",
  continue: "Continue with the others",
  "fast-fail": "End the experiment",
};

export const ADVANCED_POINTERS = {
  episodes: "/score/episodes",
  every: "/base/evaluation/every_steps",
  parallel: "/parallel",
  memory: "/memory_per_worker",
  retries: "/retries",
  minutes: "/limits/seconds",
  coreSeconds: "/limits/core_seconds",
  mostSteps: "/limits/steps",
  samplerSeed: "/sweep/seed",
} as const;

export type AdvancedField = keyof typeof ADVANCED_POINTERS;

export interface ReadAdvanced {
  /** The settings in the specification; empty if none are set. */
  specification: Specification;
  every: number | null;
  samplerSeed: number | null;
}

/** Converts the typed values for the service; problems are added to `problems` by JSON pointer. */
export function readAdvanced(
  draft: AdvancedDraft,
  limits: Limits,
  problems: Map<string, string>,
): ReadAdvanced {
  const whole = (field: AdvancedField, bounds: Bounds) =>
    draft[field].trim() === ""
      ? null
      : readWhole(draft[field], bounds, ADVANCED_POINTERS[field], problems);
  const positive = (field: "minutes" | "coreSeconds") => {
    const value = draft[field].trim() === "" ? null : parseNumber(draft[field]);
    if (value !== null && !(value > 0)) {
      problems.set(ADVANCED_POINTERS[field], "Enter a number above 0");
    }
    return value;
  };
  const minutes = positive("minutes");
  const retries = draft.failMode === "retry" ? whole("retries", limits.experiment_retries) : null;
  const megabytes = whole("memory", { minimum: 1 });
  return {
    every: whole("every", limits.periodic_every_steps),
    samplerSeed: whole("samplerSeed", limits.seed),
    specification: given({
      fail_mode: draft.failMode === FIRST_ADVANCED.failMode ? null : draft.failMode,
      retries,
      parallel: whole("parallel", limits.experiment_parallel),
      memory_per_worker: megabytes && megabytes * MEGABYTE,
      score: given({
        episodes: whole("episodes", limits.scored_episodes),
        policy: draft.policy === FIRST_ADVANCED.policy ? null : draft.policy,
        deterministic: draft.actions === "usual" ? null : draft.actions === "greedy",
      }),
      limits: given({
        seconds: minutes && minutes * 60,
        core_seconds: positive("coreSeconds"),
        steps: whole("mostSteps", { minimum: 1 }),
      }),
    }),
  };
}

/** Returns the entries that are neither null nor empty. */
function given(values: object): object {
  const said = ([, value]: [string, unknown]) =>
    value !== null && (typeof value !== "object" || Object.keys(value).length > 0);
  return Object.fromEntries(Object.entries(values).filter(said));
}

/** Number of fields that differ from the defaults of an experiment, and from what the form `proposed` when it opened. */
export function changedCount(draft: AdvancedDraft, proposed = FIRST_ADVANCED): number {
  const fields = Object.keys(FIRST_ADVANCED) as (keyof AdvancedDraft)[];
  return fields.filter((field) => {
    const typed = draft[field].trim();
    return typed !== FIRST_ADVANCED[field] && typed !== proposed[field];
  }).length;
}

/** A hyperparameter and its typed value. */
export interface TypedField {
  name: string;
  text: string;
}

export type ParsedValues = { ok: true; values: unknown[] } | { ok: false; problem: string };

/** The separator between values; lists contain commas themselves. */
export function separatorOf({ type }: Hyperparameter): ";" | "," {
  return type === "array" ? ";" : ",";
}

/** Several values of a hyperparameter as typed: `0.9, 0.99`, or `64, 64; 256, 256` for lists. */
export function typedValues(schema: Hyperparameter, values: readonly unknown[]): string {
  return values.map(setting).join(`${separatorOf(schema)} `);
}

/** Reads several values of a hyperparameter. Each must fit its schema. */
export function parseValues(schema: Hyperparameter, text: string): ParsedValues {
  const separator = separatorOf(schema);
  const parts = text.split(separator).filter((part) => part.trim() !== "");
  if (parts.length === 0) return { ok: false, problem: `Give values, with “${separator}” between` };
  const values: unknown[] = [];
  for (const part of parts) {
    const trimmed = part.trim();
    if (schema.type === "boolean" && trimmed !== "true" && trimmed !== "false") {
      return { ok: false, problem: `${trimmed}: true or false` };
    }
    if (
      schema.choices &&
      !schema.choices.includes(trimmed) &&
      !(schema.nullable && trimmed === "none")
    ) {
      return { ok: false, problem: `${trimmed}: one of ${schema.choices.join(", ")}` };
    }
    const parsed = parseHyperparameter(schema, trimmed);
    if (!parsed.ok) return { ok: false, problem: `${trimmed}: ${parsed.problem}` };
    values.push(parsed.value);
  }
  const seen = values.map((value) => JSON.stringify(value));
  const twice = values.find((_, i) => seen.indexOf(seen[i]!) !== i);
  return twice === undefined
    ? { ok: true, values }
    : { ok: false, problem: `${setting(twice)} is listed twice` };
}

/** Reads one value of a hyperparameter. */
export function parseValue(schema: Hyperparameter, text: string): ParsedValues {
  const parsed = parseValues(schema, text);
  return parsed.ok && parsed.values.length > 1 ? { ok: false, problem: "One value" } : parsed;
}

/** A whole number within `bounds`; otherwise null, and the reason is added to `problems` at `pointer`. */
export function readWhole(
  text: string,
  bounds: Bounds,
  pointer: string,
  problems: Map<string, string>,
): number | null {
  const parsed = parseInteger(text, bounds);
  if (parsed.ok) return parsed.value as number;
  problems.set(pointer, parsed.problem);
  return null;
}
