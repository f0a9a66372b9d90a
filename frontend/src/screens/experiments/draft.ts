import type { Algorithm, Environment, Hyperparameter, Preset, SinkKind } from "@/api/types";
import { hyperparametersFor, presetsFor, recommendedPreset, variantFor } from "@/api/variant";
import {
  EXPLORATION_SWITCHES,
  type ExplorationChoices,
  type ExplorationDraft,
  fittingExploration,
} from "@/forms/exploration";
import { fittingValues } from "@/forms/parse";
import type { RewardComponent, RewardDraft } from "@/forms/reward-plan";
import type { SeedChoice } from "@/forms/seed-choice";
import { type AdvancedDraft, FIRST_ADVANCED, type TypedField } from "./advanced-draft";
import { FIRST_SWEEP, suggestedSpace, type SweepDraft } from "./sweep-draft";

/** An algorithm with one of its presets and changes to it. An empty `preset` means the algorithm's defaults. */
export interface VariantDraft {
  algo: string;
  preset: string;
  /** Its name; if empty or left out, a name is generated from its settings. */
  name?: string;
  changes?: readonly TypedField[];
  /** Left out: as for all variants. */
  exploration?: ExplorationDraft | typeof OFF;
  /** Left out: as for all variants. */
  reward?: RewardDraft | typeof OFF;
}

/** The variant has none, whatever is set for all. */
export const OFF = "off";

/** What to vary: named variants, every combination of a grid, or what a search proposes. */
export type Kind = "variants" | "grid" | "search";

/** Typed values of the environment's options; options without an entry have their defaults. */
export type TypedOptions = Readonly<Record<string, string>>;

/** An environment to train in, and the typed values of its options. */
export interface Place {
  env: string;
  options: TypedOptions;
}

export interface ExperimentDraft {
  /** Empty: named after the variants. */
  name: string;
  /** One at least. Variants are trained in all of them, a grid and a search in the first. */
  places: readonly Place[];
  kind: Kind;
  variants: readonly VariantDraft[];
  /** What a grid and a search vary. */
  base: VariantDraft;
  grid: readonly TypedField[];
  sweep: SweepDraft;
  seeds: SeedChoice;
  /** The seeds, if they are listed. */
  seed: string;
  /** Environment steps of each run; empty: those of its preset. */
  steps: string;
  /** Programs that its runs are delivered to as they train. */
  sinks: readonly SinkKind[];
  /** For all runs, unless a variant has its own; null: not edited. */
  exploration: ExplorationDraft | null;
  /** For all runs, unless a variant has its own. */
  reward: RewardDraft;
  advanced: AdvancedDraft;
  /** Whether evaluations sample actions, for an experiment about an existing run; null: as those of the presets. */
  sampled: boolean | null;
}

export const FIRST: ExperimentDraft = {
  ...{ name: "", places: [{ env: "CartPole-v1", options: {} }] },
  kind: "variants",
  variants: [
    { algo: "ppo", preset: "fast" },
    { algo: "dqn", preset: "fast" },
  ],
  base: { algo: "ppo", preset: "fast" },
  grid: [],
  sweep: FIRST_SWEEP,
  ...{ seeds: 5, seed: "0, 1, 2, 3, 4", steps: "" },
  advanced: FIRST_ADVANCED,
  sampled: null,
  sinks: [],
  ...{ exploration: null, reward: {} },
};

/**
 * The choices for variants: the chosen environments with their options, and the algorithms that can learn in all of
 * them.
 */
export interface Offer {
  environment: Environment | undefined;
  /** Those beside the first. */
  others: readonly (Environment | undefined)[];
  algorithms: readonly Algorithm[];
  /** All algorithms, also those that cannot learn there. */
  known: readonly Algorithm[];
}

export function offerIn(
  environments: readonly Environment[],
  algorithms: readonly Algorithm[],
  places: readonly Place[],
): Offer {
  const [environment, ...others] = places.map(({ env, options }) => {
    const found = environments.find(({ id }) => id === env);
    return found && variantFor(found, fittingValues(found.options, options));
  });
  return {
    ...{ environment, others, known: algorithms },
    algorithms: algorithms.filter(
      ({ id, actor }) =>
        actor === "policy" &&
        [environment, ...others].every((one) => !one || one.algorithms.includes(id)),
    ),
  };
}

/** Where the draft is trained. */
export function placesOf({ kind, places }: Pick<ExperimentDraft, "kind" | "places">) {
  return kind === "variants" ? places : places.slice(0, 1);
}

/** How these algorithms can explore in all of the environments. */
export function explorationIn(
  { environment, others, algorithms }: Offer,
  algos: readonly string[],
): ExplorationChoices {
  const imitates = (algo: string) => algorithms.some(({ id, imitates }) => id === algo && imitates);
  return {
    world: others.every((one) => one?.world) ? (environment?.world ?? null) : null,
    canImitate: algos.some(imitates),
  };
}

/** The parts that the reward has in all of the environments. */
export function rewardComponentsOf({ environment, others }: Offer): readonly RewardComponent[] {
  const has = (one: Environment | undefined, part: string) =>
    one?.reward_components.some(({ name }) => name === part);
  return (environment?.reward_components ?? []).filter(({ name }) =>
    others.every((one) => has(one, name)),
  );
}

/** The algorithms that are trained. */
export function algosOf({ kind, base, variants }: ExperimentDraft): readonly string[] {
  return kind === "variants" ? variants.map(({ algo }) => algo) : [base.algo];
}

/** The presets of an algorithm that exist in all of the environments, with their values in the first one. */
export function presetsOf({ environment, others, algorithms }: Offer, algo: string) {
  const algorithm = algorithms.find(({ id }) => id === algo);
  const elsewhere = others.map((one) => presetsFor(one, algorithm).map(({ id }) => id));
  return presetsFor(environment, algorithm).filter(({ id }) =>
    elsewhere.every((ids) => ids.includes(id)),
  );
}

/** An algorithm with its recommended preset, or with its defaults if there is none. */
export function firstVariant(offer: Offer, algo: string): VariantDraft {
  return { algo, preset: recommendedPreset(presetsOf(offer, algo))?.id ?? "" };
}

/** The variant with its preset if that exists here, otherwise with the first preset offered. */
export function withPresetThatExists(offer: Offer, variant: VariantDraft): VariantDraft {
  const exists = variant.preset === "" || presetOf(offer, variant);
  return exists ? variant : { ...variant, ...firstVariant(offer, variant.algo) };
}

/** The variant without the exploration that is not possible here; null: it explored, and nothing of that is possible. */
export function withPossibleExploration(offer: Offer, variant: VariantDraft): VariantDraft | null {
  const { exploration } = variant;
  if (exploration === undefined || exploration === OFF) return variant;
  const fitting = fittingExploration(exploration, explorationIn(offer, [variant.algo]));
  const isOn = (draft: ExplorationDraft) => EXPLORATION_SWITCHES.some(({ on }) => draft[on]);
  return isOn(exploration) && !isOn(fitting) ? null : { ...variant, exploration: fitting };
}

/**
 * The lines that remain possible in another environment, each with a preset that exists there; otherwise two new lines.
 */
export function variantsIn(offer: Offer, variants: readonly VariantDraft[]): VariantDraft[] {
  const kept = variants
    .filter(({ algo }) => offer.algorithms.some(({ id }) => id === algo))
    .map((variant) => withPossibleExploration(offer, withPresetThatExists(offer, variant)))
    .filter((variant) => variant !== null);
  return kept.length > 0
    ? kept
    : offer.algorithms.slice(0, 2).map(({ id }) => firstVariant(offer, id));
}

/**
 * The draft with choices that exist in its environments: choices that do not exist there are replaced by the first one
 * offered.
 */
export function enter(draft: ExperimentDraft, offer: Offer): ExperimentDraft {
  const [base] = variantsIn(offer, [draft.base]);
  const moved = { ...draft, variants: variantsIn(offer, draft.variants) };
  return base ? withBase(moved, offer, base) : moved;
}

/**
 * The draft with another base, and its suggested search space. A grid keeps the hyperparameters that have the same
 * meaning.
 */
export function withBase(
  draft: ExperimentDraft,
  offer: Offer,
  base: VariantDraft,
): ExperimentDraft {
  const fields = fieldsOf(offer, base.algo);
  const same = base.algo === draft.base.algo && draft.sweep.space.length > 0;
  const space = same
    ? draft.sweep.space.filter(({ name }) => fields.has(name))
    : suggestedSpace(offer.environment, algorithmOf(offer, base.algo));
  const before = offer.known.find(({ id }) => id === draft.base.algo)?.hyperparameters ?? [];
  const grid = draft.grid.filter(({ name }) =>
    before.some((known) => known.name === name && known.help === fields.get(name)?.help),
  );
  return { ...draft, base, grid, sweep: { ...draft.sweep, space } };
}

/** The hyperparameters that an algorithm has in all environments, by name. */
export function fieldsOf(offer: Offer, algo: string): ReadonlyMap<string, Hyperparameter> {
  const algorithm = algorithmOf(offer, algo);
  const elsewhere = offer.others.map((one) => hyperparametersFor(one, algorithm));
  const schemas = hyperparametersFor(offer.environment, algorithm).filter((schema) =>
    elsewhere.every((known) => known.includes(schema)),
  );
  return new Map(schemas.map((schema) => [schema.name, schema]));
}

export function algorithmOf({ algorithms }: Offer, algo: string): Algorithm | undefined {
  return algorithms.find(({ id }) => id === algo);
}

/** Its former name, or a generated one such as `PPO Fast, gamma 0.98, coverage 0.1`. */
export function variantName(variant: VariantDraft, offer: Offer): string {
  if (variant.name?.trim()) return variant.name.trim();
  const title = presetOf(offer, variant)?.title ?? "defaults";
  const parts = [
    `${algorithmOf(offer, variant.algo)?.name ?? variant.algo} ${title}`,
    ...(variant.changes ?? []).map(({ name, text }) => `${name} ${text.trim()}`),
    ...explorationNames(variant, offer),
    ...rewardNames(variant, offer),
  ];
  return parts.join(", ");
}

function explorationNames({ algo, exploration }: VariantDraft, offer: Offer): string[] {
  if (exploration === undefined) return [];
  if (exploration === OFF) return ["no exploration"];
  const draft = fittingExploration(exploration, explorationIn(offer, [algo]));
  const on = EXPLORATION_SWITCHES.filter((one) => draft[one.on]);
  if (on.length === 0) return [draft.map ? "only the map" : "no exploration"];
  return on.map(({ field }) => `${field} ${draft[field].trim()}`);
}

function rewardNames({ reward }: VariantDraft, offer: Offer): string[] {
  if (reward === undefined) return [];
  const parts = rewardComponentsOf(offer).flatMap(({ name, label }) => {
    const { weight = "", cap = "" } = reward === OFF ? {} : (reward[name] ?? {});
    return [
      ...(weight.trim() === "" ? [] : [`${label} × ${weight.trim()}`]),
      ...(cap.trim() === "" ? [] : [`${label} within ±${cap.trim()}`]),
    ];
  });
  return parts.length > 0 ? parts : ["reward unchanged"];
}

export function presetOf(offer: Offer, { algo, preset }: VariantDraft): Preset | undefined {
  return presetsOf(offer, algo).find(({ id }) => id === preset);
}

/** The first environment that is not listed yet and in which all variants can learn; null: there is none. */
export function nextPlace(
  { places, variants }: ExperimentDraft,
  environments: readonly Environment[],
): Place | null {
  const found = environments.find(
    ({ id, available, algorithms }) =>
      available &&
      !places.some(({ env }) => env === id) &&
      variants.every(({ algo }) => algorithms.includes(algo)),
  );
  return found ? { env: found.id, options: {} } : null;
}
