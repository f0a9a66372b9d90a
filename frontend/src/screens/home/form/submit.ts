import { type FieldProblem, pointerTo } from "@/api/http";
import { learns } from "@/api/run-availability";
import type { CreateRun } from "@/api/types";
import { type ExplorationChoices, explorationOf, explorationRequest } from "@/forms/exploration";
import { type Bounds, type Parsed, parseHyperparameter, parseInteger } from "@/forms/parse";
import { rewardOf } from "@/forms/reward-plan";
import { written } from "@/forms/rules/draft";
import { LISTED, parseSeeds } from "@/forms/seed-choice";
import { planOf, type PlanProblems } from "@/forms/snapshot-plan";
import {
  algorithmOf,
  type Choices,
  type Draft,
  type DraftChange,
  environmentOf,
  type EvaluationDraft,
  explorationDraftOf,
  type Part,
  presetOf,
  schemasOf,
  timestepsOf,
  whyDraftIncompatible,
} from "./draft";

/** Problems by JSON pointer of the field, from the form's own checks and from the service. */
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

const PLAN = "/snapshots/";
const EXPLORATION = "/exploration/";
const REWARD = "/reward/";

/** The problems of the snapshot plan, by name of its field. */
export function planProblems(problems: Problems): PlanProblems {
  const own = Object.entries(problems).filter(([pointer]) => pointer.startsWith(PLAN));
  return Object.fromEntries(own.map(([pointer, problem]) => [pointer.slice(PLAN.length), problem]));
}

/** What the chosen environment and algorithm allow. */
export function explorationChoices(choices: Choices, draft: Draft): ExplorationChoices {
  return {
    world: environmentOf(choices, draft)?.world ?? null,
    canImitate: algorithmOf(choices, draft)?.imitates ?? false,
  };
}

/** The request to create a draft's run, and the problems that prevent it. */
export interface Submission {
  body: CreateRun;
  /** The listed seeds if there are several; otherwise empty. */
  seeds: readonly number[];
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
        take(pointerTo(part, schema.name), parseHyperparameter(schema, value(schema.name))),
      ]),
    );
  };
  const planned = ({ every, episodes, sampled, stops, stopAfter }: EvaluationDraft) => ({
    every_steps: integer(POINTERS.every, every, limits.periodic_every_steps),
    episodes: integer(POINTERS.episodes, episodes, limits.periodic_episodes),
    deterministic: !sampled,
    stop_after: stops ? integer(POINTERS.stopAfter, stopAfter, limits.periodic_stop_after) : null,
  });
  const algorithm = algorithmOf(choices, draft);
  const listed =
    draft.seeds === LISTED
      ? (take(
          POINTERS.seed,
          parseSeeds(draft.seed, algorithm?.seed, limits.group_seeds.maximum),
        ) as number[] | undefined)
      : null;
  const { evaluation, anatomy } = draft;
  const unfit = whyDraftIncompatible(choices, draft);
  if (unfit) {
    problems[POINTERS.algo] =
      `${unfit}. Choose another algorithm, or change the environment's options back: what you typed is kept.`;
  }
  const snapshots = draft.snapshots && planOf(draft.snapshots, limits);
  for (const [field, problem] of Object.entries(snapshots?.problems ?? {})) {
    problems[`${PLAN}${field}`] = problem;
  }
  const allowed = explorationChoices(choices, draft);
  const environment = environmentOf(choices, draft);
  const explores =
    !algorithm || learns(algorithm)
      ? explorationOf(explorationDraftOf(choices, draft), limits, allowed)
      : null;
  for (const [field, problem] of Object.entries(explores?.problems ?? {})) {
    problems[`${EXPLORATION}${field}`] = problem;
  }
  const reward =
    draft.reward && (!algorithm || learns(algorithm))
      ? rewardOf(draft.reward, environment?.reward_components ?? [], limits)
      : null;
  Object.assign(problems, reward?.problems);
  const rules = written(draft.rules);
  for (const { pointer, detail } of rules.problems) problems[pointer] ??= detail;
  const body = {
    algo: draft.algo,
    env_id: draft.env,
    preset: draft.preset || null,
    seed:
      listed !== null
        ? (listed?.[0] ?? null)
        : draft.seed.trim() === ""
          ? null
          : integer(POINTERS.seed, draft.seed, algorithm?.seed),
    total_timesteps: integer(
      POINTERS.timesteps,
      timestepsOf(choices, draft),
      algorithm?.total_timesteps,
    ),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
    hyperparameters: typed("hyperparameters"),
    ...(Object.keys(draft.env_options).length > 0 && { env_options: typed("env_options") }),
    ...(evaluation && {
      evaluation: evaluation.on
        ? planned(evaluation)
        : { every_steps: null, deterministic: !evaluation.sampled },
    }),
    ...(anatomy !== null && { anatomy }),
    ...(explores &&
      explorationRequest(explores.plan, presetOf(choices, draft)?.exploration ?? null)),
    ...(reward?.plan && { reward: reward.plan }),
    ...(snapshots && { snapshots: snapshots.plan }),
    ...(draft.rules.length > 0 && { rules: rules.rules }),
    ...(draft.sinks.length > 0 && { sinks: [...draft.sinks] }),
  };
  const seeds = listed && listed.length > 1 ? listed : [];
  return { body: body as CreateRun, seeds, problems };
}

/**
 * Problems by pointer of the form's field. One with an element of a list belongs to the field of the whole
 * list; seeds are listed in the field of the seed.
 */
export function problemsByPointer(fields: readonly FieldProblem[]): Problems {
  const byPointer: Record<string, string> = {};
  for (const { pointer, detail } of fields) {
    const field = pointer
      .replace(/^\/seeds(\/\d+)?$/, POINTERS.seed)
      .replace(/^(\/[^/]+\/[^/]+)\/\d+$/, "$1");
    byPointer[field] ??= detail;
  }
  return byPointer;
}

/**
 * The service's problems that remain after an edit: those of the edited fields are removed until the next
 * request.
 */
export function problemsAfter(problems: Problems, change: DraftChange): Problems {
  const without = (touched: (pointer: string) => boolean) =>
    Object.fromEntries(Object.entries(problems).filter(([pointer]) => !touched(pointer)));
  switch (change.field) {
    case "seeds":
      return without((pointer) => pointer === POINTERS.seed);
    case "seed":
    case "name":
    case "timesteps":
      return without((pointer) => pointer === POINTERS[change.field]);
    case "hyperparameters":
      return without((pointer) => pointer === pointerTo(change.field, change.name));
    // The service may have refused the algorithm or the preset because of the option's former
    // value.
    case "env_options": {
      const touched: string[] = [pointerTo(change.field, change.name)];
      touched.push(POINTERS.algo, POINTERS.preset);
      return without((pointer) => touched.includes(pointer));
    }
    // Rules may look at what evaluations log.
    case "evaluation":
      return without((pointer) => pointer.startsWith("/evaluation") || isOfRule(pointer));
    case "rules":
      return without(isOfRule);
    case "snapshots":
      return without((pointer) => pointer.startsWith(PLAN));
    case "exploration":
      return without((pointer) => pointer.startsWith(EXPLORATION));
    case "reward":
      return without((pointer) => pointer.startsWith(REWARD));
    case "start-over":
      return {};
    case "reset":
      return without((pointer) => pointer.startsWith(`/${change.part}/`));
    default:
      return {};
  }
}

/** Problems that belong to no field of the form. */
export function unplaced(problems: Problems, choices: Choices, draft: Draft): string[] {
  const pointers = (part: Part) =>
    schemasOf(choices, draft, part).map(({ name }) => pointerTo(part, name));
  const known: string[] = [
    ...Object.values(POINTERS),
    ...pointers("hyperparameters"),
    ...pointers("env_options"),
  ];
  return Object.entries(problems)
    .filter(
      ([pointer]) =>
        !known.includes(pointer) &&
        !/^\/(rules\/\d|snapshots\/|exploration\/|reward\/)/.test(pointer),
    )
    .map(([pointer, detail]) => (pointer === "" ? detail : `${pointer.slice(1)}: ${detail}`));
}

function isOfRule(pointer: string): boolean {
  return pointer.startsWith("/rules");
}
