import type { CreateRun, FieldProblem } from "@/lib/api";
import {
  algorithmOf,
  type Choices,
  type Draft,
  type DraftChange,
  type EvaluationDraft,
  type Part,
  schemasOf,
  timestepsOf,
} from "./draft";
import { draftMisfit } from "./fit";
import { type Bounds, parseHyperparameter, type Parsed, parseInteger } from "./parse";

/** What is wrong, by JSON pointer, the same for our own checks and for the service's. */
export type Problems = Readonly<Record<string, string>>;

export const POINTERS = {
  algo: "/algo",
  env: "/env_id",
  preset: "/preset",
  seed: "/seed",
  timesteps: "/total_timesteps",
  name: "/name",
  every: "/evaluation/every_steps",
  episodes: "/evaluation/episodes",
  stopAfter: "/evaluation/stop_after",
} as const;

export function partPointer(part: Part, name: string): string {
  return `/${part}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The request a draft stands for, and every field that keeps it from being one. */
export interface Submission {
  body: CreateRun;
  problems: Problems;
}

export function submission(choices: Choices, draft: Draft): Submission {
  const problems: Record<string, string> = {};
  const { limits } = choices;
  const take = (pointer: string, parsed: Parsed) => {
    if (parsed.ok) return parsed.value;
    problems[pointer] = parsed.problem;
  };
  const integer = (pointer: string, text: string, bounds: Bounds = {}) =>
    take(pointer, parseInteger(text, bounds)) as number;
  const typed = (part: Part) => {
    const schemas = schemasOf(choices, draft, part).filter(({ name }) => name in draft[part]);
    const value = (name: string) => draft[part][name] ?? "";
    return Object.fromEntries(
      schemas.map((schema) => [
        schema.name,
        take(partPointer(part, schema.name), parseHyperparameter(schema, value(schema.name))),
      ]),
    );
  };
  const planned = ({ every, episodes, stops, stopAfter }: EvaluationDraft) => ({
    every_steps: integer(POINTERS.every, every, limits.periodic_every_steps),
    episodes: integer(POINTERS.episodes, episodes, limits.periodic_episodes),
    stop_after: stops ? integer(POINTERS.stopAfter, stopAfter, limits.periodic_stop_after) : null,
  });
  const algorithm = algorithmOf(choices, draft);
  const { evaluation, anatomy } = draft;
  const unfit = draftMisfit(choices, draft);
  if (unfit) {
    problems[POINTERS.algo] =
      `${unfit}. Choose another algorithm, or change the environment's options back: what you typed is kept.`;
  }
  const body = {
    algo: draft.algo,
    env_id: draft.env,
    preset: draft.preset || null,
    seed: draft.seed.trim() === "" ? null : integer(POINTERS.seed, draft.seed, algorithm?.seed),
    total_timesteps: integer(
      POINTERS.timesteps,
      timestepsOf(choices, draft),
      algorithm?.total_timesteps,
    ),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
    hyperparameters: typed("hyperparameters"),
    ...(Object.keys(draft.env_options).length > 0 && { env_options: typed("env_options") }),
    ...(evaluation && { evaluation: evaluation.on ? planned(evaluation) : { every_steps: null } }),
    ...(anatomy !== null && { anatomy }),
  };
  return { body: body as CreateRun, problems };
}

/** A problem of one element of a list stands at the field that holds the list. */
export function problemsByPointer(fields: readonly FieldProblem[]): Problems {
  const byPointer: Record<string, string> = {};
  for (const { pointer, detail } of fields) {
    byPointer[pointer.replace(/^(\/[^/]+\/[^/]+)\/\d+$/, "$1")] ??= detail;
  }
  return byPointer;
}

/** What the service still has against it after a change: a field that was touched is judged anew. */
export function problemsAfter(problems: Problems, change: DraftChange): Problems {
  const without = (touched: (pointer: string) => boolean) =>
    Object.fromEntries(Object.entries(problems).filter(([pointer]) => !touched(pointer)));
  switch (change.field) {
    case "seed":
    case "name":
    case "timesteps":
      return without((pointer) => pointer === POINTERS[change.field]);
    case "hyperparameters":
      return without((pointer) => pointer === partPointer(change.field, change.name));
    // Another option may be what the service had against the algorithm or its preset.
    case "env_options": {
      const touched: string[] = [partPointer(change.field, change.name)];
      touched.push(POINTERS.algo, POINTERS.preset);
      return without((pointer) => touched.includes(pointer));
    }
    case "evaluation":
      return without((pointer) => pointer.startsWith("/evaluation"));
    case "start-over":
      return {};
    case "reset":
      return without((pointer) => pointer.startsWith(`/${change.part}/`));
    default:
      return {};
  }
}

/** Problems that no field of the form can show next to itself. */
export function unplaced(problems: Problems, choices: Choices, draft: Draft): string[] {
  const pointers = (part: Part) =>
    schemasOf(choices, draft, part).map(({ name }) => partPointer(part, name));
  const known: string[] = [
    ...Object.values(POINTERS),
    ...pointers("hyperparameters"),
    ...pointers("env_options"),
  ];
  return Object.entries(problems)
    .filter(([pointer]) => !known.includes(pointer))
    .map(([pointer, detail]) => (pointer === "" ? detail : `${pointer.slice(1)}: ${detail}`));
}
