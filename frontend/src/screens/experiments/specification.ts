import type { CreateExperiment, Environment, ExplorationPlan, Limits, Preset } from "@/api/types";
import { presetsFor } from "@/api/variant";
import {
  defaultExploration,
  type ExplorationDraft,
  explorationOf,
  isSameExploration,
} from "@/forms/exploration";
import { parseHyperparameter } from "@/forms/parse";
import { type RewardDraft, rewardOf } from "@/forms/reward-plan";
import { LISTED, parseSeeds } from "@/forms/seed-choice";
import { parseNumber } from "@/lib/number";
import {
  parseValue,
  parseValues,
  readAdvanced,
  type ReadAdvanced,
  readWhole,
} from "./advanced-draft";
import {
  algorithmOf,
  algosOf,
  enter,
  type ExperimentDraft,
  explorationIn,
  fieldsOf,
  FIRST,
  firstVariant,
  type Offer,
  OFF,
  type Place,
  placesOf,
  presetsOf,
  rewardComponentsOf,
  type VariantDraft,
  variantName,
} from "./draft";
import { unfairnessOf } from "./fairness";
import { POINTERS, type Problems } from "./problems";
import { readRow } from "./sweep-draft";

/** The form as a request, and its problems. */
export interface ReadDraft {
  specification: CreateExperiment;
  problems: Problems;
}

/** Number of evaluations per trial that lets a pruner save time. */
const EVALUATIONS = 10;
const EVALUATED_EPISODES = 5;

/** What every kind of experiment reads from. */
interface Reading {
  draft: ExperimentDraft;
  offer: Offer;
  limits: Limits;
  advanced: ReadAdvanced;
  problems: Map<string, string>;
}

export function readDraft(draft: ExperimentDraft, offer: Offer, limits: Limits): ReadDraft {
  const problems = new Map<string, string>();
  if (draft.steps.trim() !== "") {
    readWhole(draft.steps, limits.total_timesteps, POINTERS.steps, problems);
  }
  const advanced = readAdvanced(draft.advanced, limits, problems);
  const name = draft.name.trim();
  const reading = { draft, offer, limits, advanced, problems };
  const specification = { variants, grid, search }[draft.kind](reading);
  const sinks = draft.sinks.length > 0 && { sinks: [...draft.sinks] };
  return {
    specification: { ...(name && { name }), ...specification, ...advanced.specification, ...sinks },
    problems,
  };
}

function variants(reading: Reading): CreateExperiment {
  const { draft, offer } = reading;
  const places = placesOf(draft);
  const several = places.length > 1;
  const where = [offer.environment, ...offer.others];
  const options = places.map((place, at) => optionsOf(place, at, where[at], reading));
  return {
    base: several ? everywhere(reading) : { ...everywhere(reading), ...options[0] },
    variants: draft.variants.flatMap((variant, line) => {
      const hyperparameters = changesOf(variant, line, reading);
      const training = trainingOf(variant, line, reading);
      return places.map((place, at) => ({
        name: variantName(variant, offer) + (several ? ` on ${placeName(place, places)}` : ""),
        changes: {
          ...{ algo: variant.algo, preset: variant.preset || "none" },
          ...(several && { env_id: place.env, ...options[at] }),
          ...(Object.keys(hyperparameters).length > 0 && { hyperparameters }),
          ...mapOf(variant, where[at], reading),
          ...training,
        },
      }));
    }),
    seeds: seedsOf(reading),
  };
}

/** The environment, with the typed values of its options if it is listed more than once. */
function placeName({ env, options }: Place, places: readonly Place[]): string {
  const twice = places.filter((one) => one.env === env).length > 1;
  const typed = Object.entries(options).map(([name, text]) => `, ${name} ${text.trim()}`);
  return twice ? env + typed.join("") : env;
}

function grid(reading: Reading): CreateExperiment {
  const { draft, offer, problems } = reading;
  const fields = fieldsOf(offer, draft.base.algo);
  const values: Record<string, unknown[]> = {};
  for (const { name, text } of draft.grid) {
    const schema = fields.get(name);
    const parsed = schema && parseValues(schema, text);
    if (parsed?.ok) values[name] = parsed.values;
    else if (parsed) problems.set(POINTERS.grid(name), parsed.problem);
  }
  if (draft.grid.length === 0) problems.set("/grid", "Add a hyperparameter");
  return {
    ...{ base: baseOf(reading), seeds: seedsOf(reading) },
    grid: values as CreateExperiment["grid"],
  };
}

function search(reading: Reading): CreateExperiment {
  const { draft, offer, limits, advanced, problems } = reading;
  const { space: rows, sampler, pruner } = draft.sweep;
  const fields = fieldsOf(offer, draft.base.algo);
  const space: NonNullable<CreateExperiment["sweep"]>["space"] = {};
  for (const row of rows.filter(({ searched }) => searched)) {
    const schema = fields.get(row.name);
    const read = schema && readRow(row, schema, rows);
    if (read?.ok) space[row.name] = read.parameter;
    else if (read) problems.set(POINTERS.space(row.name), read.problem);
  }
  if (!rows.some(({ searched }) => searched)) problems.set("/sweep/space", "Search at least one");
  const trials = readWhole(draft.sweep.trials, limits.sweep_trials, POINTERS.trials, problems) ?? 1;
  const seeds =
    readWhole(draft.sweep.seeds, limits.sweep_seeds, POINTERS.seedsPerTrial, problems) ?? 1;
  const sweep = {
    ...{ space, sampler, pruner, trials, seeds_per_trial: seeds },
    seed: advanced.samplerSeed ?? 0,
  };
  const length = lengthOf(draft, draft.base, offer);
  const isJudged = pruner !== "none" && advanced.every === null;
  if (isJudged && length === null) {
    problems.set(
      POINTERS.steps,
      "Enter the steps: the pruner evaluates each trial after every tenth of them",
    );
  }
  const tenth = Math.max(
    limits.periodic_every_steps.minimum,
    Math.floor((length ?? 0) / EVALUATIONS),
  );
  return {
    base: {
      ...baseOf(reading),
      ...(isJudged && {
        evaluation: {
          ...{ every_steps: tenth, episodes: EVALUATED_EPISODES },
          ...actionsOf(draft),
        },
      }),
    } as CreateExperiment["base"],
    ...{ sweep, seeds },
  };
}

/** Settings that every run has, in any environment. */
function everywhere(reading: Reading) {
  const { draft, offer, advanced, problems } = reading;
  const exploration = explorationOfAll(reading);
  const unable = algosThatCannotImitate(draft, offer);
  if (exploration?.imitation != null && unable.length > 0) {
    problems.set(
      `${POINTERS.base}/exploration/imitation`,
      `${unable.join(", ")} cannot imitate. Switch it on in the lines that can, not for all.`,
    );
  }
  const reward = readReward(draft.reward, POINTERS.base, reading);
  return {
    ...{ env_id: draft.places[0]!.env, total_timesteps: typedSteps(draft) },
    ...((advanced.every !== null || draft.sampled !== null) && {
      evaluation: { every_steps: advanced.every, ...actionsOf(draft) },
    }),
    ...(exploration && { exploration }),
    ...(reward && { reward }),
  } as NonNullable<CreateExperiment["base"]>;
}

/** How evaluations choose actions; nothing: as those of the presets. */
function actionsOf({ sampled }: ExperimentDraft): { deterministic?: boolean } {
  return sampled === null ? {} : { deterministic: !sampled };
}

/** The preset of a line in an environment. */
function presetOfLine(
  { algo, preset }: VariantDraft,
  environment: Environment | undefined,
  offer: Offer,
): Preset | undefined {
  const presets = presetsFor(environment, algorithmOf(offer, algo));
  return presets.find(({ id }) => id === preset);
}

/** The environments of the experiment. */
function environmentsOf(draft: ExperimentDraft, offer: Offer): (Environment | undefined)[] {
  return [offer.environment, ...offer.others].slice(0, placesOf(draft).length);
}

/** What the preset of a line explores with in an environment; null: nothing. */
function explorationOfPreset(
  line: VariantDraft,
  environment: Environment | undefined,
  offer: Offer,
): ExplorationPlan | null {
  return presetOfLine(line, environment, offer)?.exploration ?? null;
}

/** What the presets explore with, for each line without an exploration of its own and each environment. */
function explorationOfPresets(draft: ExperimentDraft, offer: Offer): (ExplorationPlan | null)[] {
  const lines =
    draft.kind === "variants"
      ? draft.variants.filter(({ exploration }) => exploration === undefined)
      : [draft.base];
  const where = environmentsOf(draft, offer);
  return lines.flatMap((line) =>
    where.map((environment) => explorationOfPreset(line, environment, offer)),
  );
}

/** Whether lines explore as their presets, because one of these explores and the user has not edited it for all. */
export function exploresAsPresets(draft: ExperimentDraft, offer: Offer): boolean {
  return draft.exploration === null && somePresetExplores(draft, offer);
}

function somePresetExplores(draft: ExperimentDraft, offer: Offer): boolean {
  return explorationOfPresets(draft, offer).some((plan) => !isSameExploration(plan, null));
}

/** What the form shows for all runs until the user edits it: the presets' exploration if they have the same. */
export function usualExploration(
  draft: ExperimentDraft,
  offer: Offer,
  limits: Limits,
): ExplorationDraft {
  const [first = null, ...others] = explorationOfPresets(draft, offer);
  const common = others.every((plan) => isSameExploration(plan, first)) ? first : null;
  return defaultExploration(explorationIn(offer, algosOf(draft)).world, limits, common);
}

/** What the base says of exploration; null: nothing, so runs explore as their presets. */
function explorationOfAll(reading: Reading): ExplorationPlan | null {
  const { draft, offer, limits } = reading;
  if (exploresAsPresets(draft, offer)) return null;
  const typed = draft.exploration ?? usualExploration(draft, offer, limits);
  const plan = readExploration(typed, algosOf(draft), POINTERS.base, reading);
  return plan ?? (somePresetExplores(draft, offer) ? {} : null);
}

/** The map of a line whose preset does not explore, where other lines explore as their presets. */
function mapOf(line: VariantDraft, environment: Environment | undefined, reading: Reading) {
  const { draft, offer, limits } = reading;
  if (!exploresAsPresets(draft, offer)) return {};
  if (!isSameExploration(explorationOfPreset(line, environment, offer), null)) return {};
  const allowed = explorationIn(offer, [line.algo]);
  const { plan } = explorationOf(defaultExploration(allowed.world, limits), limits, allowed);
  return plan ? { exploration: plan } : {};
}

/** Names of the algorithms that train as set for all, and cannot imitate. */
function algosThatCannotImitate({ kind, variants }: ExperimentDraft, offer: Offer): string[] {
  const inherits = variants.filter(({ exploration }) => exploration === undefined);
  const algorithms = inherits.map(({ algo }) => algorithmOf(offer, algo));
  const unable = algorithms.flatMap((one) => (one && !one.imitates ? [one.name] : []));
  return kind === "variants" ? [...new Set(unable)] : [];
}

/** The typed exploration of these algorithms; null: none. */
function readExploration(
  typed: ExplorationDraft,
  algos: readonly string[],
  parent: string,
  { offer, limits, problems }: Reading,
) {
  const found = explorationOf(typed, limits, explorationIn(offer, algos));
  for (const [field, problem] of Object.entries(found.problems)) {
    problems.set(`${parent}/exploration/${field}`, problem);
  }
  return found.plan;
}

/** The typed weights and caps; null: none. */
function readReward(typed: RewardDraft, parent: string, { offer, limits, problems }: Reading) {
  const found = rewardOf(typed, rewardComponentsOf(offer), limits);
  for (const [pointer, problem] of Object.entries(found.problems)) {
    problems.set(parent + pointer, problem);
  }
  return found.plan;
}

/** What a variant has instead of the exploration and the reward of all; `{}`: none. */
function trainingOf({ algo, exploration, reward }: VariantDraft, line: number, reading: Reading) {
  const parent = POINTERS.changes(line);
  return {
    ...(exploration !== undefined && {
      exploration:
        (exploration !== OFF && readExploration(exploration, [algo], parent, reading)) || {},
    }),
    ...(reward !== undefined && {
      reward: (reward !== OFF && readReward(reward, parent, reading)) || {},
    }),
  };
}

/** The typed options of an environment; undefined if all have their defaults. */
function optionsOf(
  { env, options: typed }: Place,
  at: number,
  environment: Environment | undefined,
  { draft, problems }: Reading,
) {
  const options: Record<string, never> = {};
  for (const field of environment?.options ?? []) {
    const text = typed[field.name];
    const parsed = text === undefined ? null : parseHyperparameter(field, text);
    if (parsed?.ok) options[field.name] = parsed.value as never;
    else if (parsed) problems.set(POINTERS.option(field.name, at), parsed.problem);
  }
  const same = ({ env: other, options: others }: Place) =>
    other === env && JSON.stringify(others) === JSON.stringify(typed);
  if (placesOf(draft).findIndex(same) < at) problems.set(POINTERS.place(at), "It is listed twice");
  return Object.keys(options).length > 0 ? { env_options: options } : {};
}

function baseOf(reading: Reading): NonNullable<CreateExperiment["base"]> {
  const { draft, offer } = reading;
  const { algo, preset } = draft.base;
  const options = optionsOf(draft.places[0]!, 0, offer.environment, reading);
  return { ...everywhere(reading), ...options, algo, preset: preset || null };
}

/** The seeds as listed, or their number. */
function seedsOf({ draft, limits, problems }: Reading): number | number[] {
  if (draft.seeds !== LISTED) return draft.seeds;
  const parsed = parseSeeds(draft.seed, limits.seed, limits.experiment_seeds.maximum);
  if (parsed.ok) return parsed.value as number[];
  problems.set(POINTERS.seeds, parsed.problem);
  return [];
}

function changesOf(variant: VariantDraft, place: number, { offer, problems }: Reading) {
  const fields = fieldsOf(offer, variant.algo);
  const found: Record<string, never> = {};
  for (const { name, text } of variant.changes ?? []) {
    const schema = fields.get(name);
    const parsed = schema && parseValue(schema, text);
    if (parsed?.ok) found[name] = parsed.values[0] as never;
    else if (parsed) problems.set(POINTERS.change(place, name), parsed.problem);
  }
  return found;
}

function typedSteps({ steps }: Pick<ExperimentDraft, "steps">): number | null {
  return steps.trim() === "" ? null : parseNumber(steps);
}

/** Environment steps of one run of a variant; null if unknown or not a number. */
export function lengthOf(
  draft: ExperimentDraft,
  { algo, preset }: VariantDraft,
  offer: Offer,
  environment = offer.environment,
): number | null {
  const presets = presetsFor(environment, algorithmOf(offer, algo));
  const steps = typedSteps(draft) ?? presets.find(({ id }) => id === preset)?.end_step;
  return steps !== undefined && Number.isFinite(steps) ? steps : null;
}

/**
 * The draft that the form opens with for these environments: two variants that work there according to measurements,
 * and a fair comparison. The second variant is the one that needs the fewest changes for that.
 */
export function openingDraft(offer: Offer, places = FIRST.places): ExperimentDraft {
  const { environment, algorithms } = offer;
  const recommended = algorithms.find(({ id }) => id === environment?.recommended_algorithm);
  const first = recommended ?? algorithms[0];
  if (!first) return { ...FIRST, places };
  const base = firstVariant(offer, first.id);
  const others = [
    ...algorithms.filter(({ id }) => id !== first.id).map(({ id }) => firstVariant(offer, id)),
    ...presetsOf(offer, first.id)
      .filter(({ id, is_own }) => id !== base.preset && !is_own)
      .map(({ id }) => ({ algo: first.id, preset: id })),
  ];
  const drafts = others.map((other) => {
    const draft = { ...FIRST, places, base, variants: [base, other] };
    return { draft, unfair: unfairnessOf(draft, offer) };
  });
  const best = drafts.toSorted((a, b) => a.unfair.length - b.unfair.length)[0];
  if (!best) return { ...FIRST, places, base, variants: [base] };
  return best.unfair.reduce<ExperimentDraft>(
    (draft, { changes }) => ({ ...draft, ...changes }),
    best.draft,
  );
}

/**
 * The draft `moved`, whose environments or kind differ from `before`, with choices that exist there. Initial values of
 * the form are replaced by the initial values for the new environments.
 */
export function movedDraft(
  before: ExperimentDraft,
  moved: ExperimentDraft,
  offer: Offer,
  there: Offer,
): ExperimentDraft {
  if (moved.places === before.places) return enter(moved, there);
  const opened = openingDraft(there, moved.places);
  if (isUntouched(before, offer)) return enter(opened, there);
  const { base } = openingDraft(offer, before.places);
  const isOpening = JSON.stringify(base) === JSON.stringify(before.base);
  const elsewhere = { ...moved, sampled: null }; // what the run did says nothing about another environment
  return enter(isOpening ? { ...elsewhere, base: opened.base } : elsewhere, there);
}

/** Whether nothing was changed since the form was opened. */
export function isUntouched(draft: ExperimentDraft, offer: Offer): boolean {
  return [FIRST, openingDraft(offer, draft.places)].some(
    (one) => JSON.stringify(one) === JSON.stringify(draft),
  );
}
