/** The comparison of training with and without exploration, from a line of the form or from a run. */

import type { Algorithm, Environment, Hyperparameter, Limits, RunConfig } from "@/api/types";
import {
  EXPLORATION_SWITCHES,
  explorationDraft,
  type ExplorationDraft,
  fittingExploration,
} from "@/forms/exploration";
import { rewardDraft } from "@/forms/reward-plan";
import { setting } from "@/lib/number";
import {
  algorithmOf,
  type ExperimentDraft,
  explorationIn,
  fieldsOf,
  FIRST,
  OFF,
  type Offer,
  offerIn,
  presetOf,
  type VariantDraft,
} from "./draft";
import { usualExploration } from "./specification";

type ExplorationSwitch = (typeof EXPLORATION_SWITCHES)[number];

/** Seeds of each line. With fewer, no result of so many lines can lead to a verdict (docs/experiments.md). */
const seedsFor = (lines: number) => (lines > 4 ? 6 : 5);

/** With observations that are normalised, the best episodes cannot be kept as they were seen. */
const NORMALISES = "normalize_observations";

/**
 * The draft that compares its first line with each switch of exploration alone, with all of them together, and without.
 * The switches are those that are on for all runs; if none is, all that the algorithm and the environments allow. A map
 * that is on for all stays on in each line.
 */
export function withAndWithoutExploration(
  draft: ExperimentDraft,
  offer: Offer,
  limits: Limits,
): ExperimentDraft {
  const line = draft.kind === "variants" ? draft.variants[0] : draft.base;
  if (!line) return draft;
  const alone = { ...draft, variants: [{ ...line, exploration: undefined }] };
  const typed = draft.exploration ?? usualExploration(alone, offer, limits);
  const possible = possibleSwitches(line, typed, offer);
  const chosen = possible.filter(({ on }) => typed[on]);
  const switches = chosen.length > 0 ? chosen : possible;
  const { algo, preset, changes, reward } = line;
  const variant = { algo, preset, ...(changes && { changes }), ...(reward && { reward }) };
  const without = withOnly([], fittingExploration(typed, explorationIn(offer, [algo])));
  const explores = (name: string, on: readonly ExplorationSwitch[]): VariantDraft => ({
    ...variant,
    name,
    exploration: withOnly(on, typed),
  });
  const variants: VariantDraft[] = [
    ...switches.map((one) => explores(one.field, [one])),
    ...(switches.length > 1 ? [explores("together", switches)] : []),
    { ...variant, name: "without", exploration: without.map ? without : OFF },
  ];
  return {
    ...draft,
    ...{ kind: "variants", variants, exploration: without, seeds: seedsFor(variants.length) },
  };
}

/** The switches that the line's algorithm can use in all of the environments. */
function possibleSwitches(
  line: VariantDraft,
  typed: ExplorationDraft,
  offer: Offer,
): readonly ExplorationSwitch[] {
  const all = withOnly(EXPLORATION_SWITCHES, typed);
  const fitting = fittingExploration(all, explorationIn(offer, [line.algo]));
  return EXPLORATION_SWITCHES.filter(
    ({ on }) => fitting[on] && !(on === "imitates" && normalises(line, offer)),
  );
}

function normalises(line: VariantDraft, offer: Offer): boolean {
  const changed = line.changes?.find(({ name }) => name === NORMALISES);
  if (changed) return changed.text.trim() === "true";
  const preset = presetOf(offer, line)?.hyperparameters[NORMALISES];
  return (preset ?? fieldsOf(offer, line.algo).get(NORMALISES)?.default) === true;
}

/** The map and the numbers of `typed`, with only these switches on. */
function withOnly(on: readonly ExplorationSwitch[], typed: ExplorationDraft): ExplorationDraft {
  return EXPLORATION_SWITCHES.reduce<ExplorationDraft>(
    (draft, one) => ({ ...draft, [one.on]: on.includes(one) }),
    typed,
  );
}

/**
 * The comparison with and without the exploration of a run, with its settings and its length. Null if its algorithm can
 * no longer train in its environment here.
 */
export function explorationComparisonOf(
  config: RunConfig,
  algorithms: readonly Algorithm[],
  environments: readonly Environment[],
  limits: Limits,
): ExperimentDraft | null {
  const environment = environments.find(({ id }) => id === config.env_id);
  if (!environment?.available) return null;
  const { env_options = {}, algo, evaluation, reward } = config;
  const options = typedDifferences(environment.options, env_options, {});
  const places = [{ env: config.env_id, options: Object.fromEntries(options) }];
  const offer = offerIn(environments, algorithms, places);
  if (!algorithmOf(offer, algo)) return null;
  const known = presetOf(offer, { algo, preset: config.preset ?? "" });
  const fields = [...fieldsOf(offer, algo).values()];
  const changes = typedDifferences(fields, config.hyperparameters, known?.hyperparameters ?? {});
  const line = {
    ...{ algo, preset: known?.id ?? "" },
    changes: changes.map(([name, text]) => ({ name, text })),
  };
  const draft: ExperimentDraft = {
    ...{ ...FIRST, places, base: line, variants: [line] },
    steps: String(config.total_timesteps),
    exploration: explorationDraft(config.exploration, limits),
    reward: reward ? rewardDraft(reward) : {},
    advanced: { ...FIRST.advanced, every: setting(evaluation?.every_steps ?? "") },
    sampled: evaluation?.deterministic === false,
  };
  return withAndWithoutExploration(draft, offer, limits);
}

/** The values that differ from `usual`, or else from the default of their field, as they would be typed. */
function typedDifferences(
  fields: readonly Hyperparameter[],
  values: Readonly<Record<string, unknown>>,
  usual: Readonly<Record<string, unknown>>,
): [name: string, text: string][] {
  return fields.flatMap(({ name, default: fallback }) => {
    const own = setting(name in usual ? usual[name] : fallback);
    return name in values && setting(values[name]) !== own ? [[name, setting(values[name])]] : [];
  });
}
