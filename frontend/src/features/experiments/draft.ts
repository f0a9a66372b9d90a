import {
  type Algorithm,
  type CreateExperiment,
  type Environment,
  type Preset,
  presetsFor,
  variantFor,
} from "@/lib/api";
import { parseNumber } from "@/lib/format/parse-number";

/** One thing that is compared. `preset` is empty for the algorithm's defaults. */
export interface VariantDraft {
  algo: string;
  preset: string;
}

export interface ExperimentDraft {
  env: string;
  variants: readonly VariantDraft[];
  seeds: string;
  /** Environment steps of each run; empty: those of its preset. */
  steps: string;
}

export const SEED_COUNTS = ["3", "5", "10"] as const;

export const FIRST: ExperimentDraft = {
  env: "CartPole-v1",
  variants: [
    { algo: "ppo", preset: "fast" },
    { algo: "dqn", preset: "fast" },
  ],
  seeds: "5",
  steps: "",
};

/** What can be compared: the environment that was chosen, and the algorithms that can learn in it. */
export interface Offer {
  environment: Environment | undefined;
  algorithms: readonly Algorithm[];
}

export function offerIn(
  environments: readonly Environment[],
  algorithms: readonly Algorithm[],
  env: string,
): Offer {
  const found = environments.find(({ id }) => id === env);
  const environment = found && variantFor(found);
  return {
    environment,
    algorithms: algorithms.filter(
      ({ id, actor }) =>
        actor === "policy" && (!environment || environment.algorithms.includes(id)),
    ),
  };
}

export function presetsOf({ environment, algorithms }: Offer, algo: string): readonly Preset[] {
  const algorithm = algorithms.find(({ id }) => id === algo);
  return presetsFor(environment, algorithm);
}

/** An algorithm with the preset that is offered first; with its defaults if there is none. */
export function firstVariant(offer: Offer, algo: string): VariantDraft {
  return { algo, preset: presetsOf(offer, algo)[0]?.id ?? "" };
}

/** The variant with its preset if the algorithm has it here, else with the one that is offered first. */
export function withPresetThatExists(offer: Offer, variant: VariantDraft): VariantDraft {
  const exists = variant.preset === "" || presetOf(offer, variant);
  return exists ? variant : firstVariant(offer, variant.algo);
}

/** The lines that can be kept in another environment, each with a preset that exists there; else two new ones. */
export function variantsIn(offer: Offer, variants: readonly VariantDraft[]): VariantDraft[] {
  const kept = variants
    .filter(({ algo }) => offer.algorithms.some(({ id }) => id === algo))
    .map((variant) => withPresetThatExists(offer, variant));
  return kept.length > 0
    ? kept
    : offer.algorithms.slice(0, 2).map(({ id }) => firstVariant(offer, id));
}

/** What the form holds as the service takes it, with a name for each variant that tells it from the others. */
export function toSpecification(draft: ExperimentDraft, offer: Offer): CreateExperiment {
  const steps = draft.steps.trim() === "" ? null : parseNumber(draft.steps);
  return {
    base: { env_id: draft.env, total_timesteps: steps },
    variants: draft.variants.map((variant) => ({
      name: variantName(variant, offer),
      changes: { algo: variant.algo, preset: variant.preset || "none" },
    })),
    seeds: Number(draft.seeds),
  };
}

/** `PPO Fast`. */
export function variantName(variant: VariantDraft, offer: Offer): string {
  const algorithm = offer.algorithms.find(({ id }) => id === variant.algo);
  const title = presetOf(offer, variant)?.title ?? "defaults";
  return `${algorithm?.name ?? variant.algo} ${title}`;
}

/**
 * Environment steps of all runs together, not counting that typed lengths are rounded up to whole rollouts;
 * null where a length is not known before it is asked for.
 */
export function totalSteps(draft: ExperimentDraft, offer: Offer): number | null {
  const typed = draft.steps.trim() === "" ? null : parseNumber(draft.steps);
  let sum = 0;
  for (const variant of draft.variants) {
    const steps = typed ?? presetOf(offer, variant)?.end_step;
    if (steps === undefined || !Number.isFinite(steps)) return null;
    sum += steps;
  }
  return sum * Number(draft.seeds);
}

function presetOf(offer: Offer, { algo, preset }: VariantDraft): Preset | undefined {
  return presetsOf(offer, algo).find(({ id }) => id === preset);
}
