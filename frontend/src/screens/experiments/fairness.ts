import { brief, count } from "@/lib/number";
import {
  type ExperimentDraft,
  type Offer,
  placesOf,
  presetOf,
  type VariantDraft,
  variantName,
} from "./draft";
import { lengthOf } from "./specification";

/** A reason why a comparison is less fair than it could be, and the changes of the form that fix it. */
export interface Unfairness {
  says: string;
  mend: string;
  changes: Partial<Pick<ExperimentDraft, "steps" | "advanced">>;
}

/** A training length of at least this share of another counts as equal, as in the cautions of a verdict. */
const AS_LONG = 0.98;

/**
 * Said before anything trains, because afterwards there can only be a warning: some variants train for longer than
 * others, some end as soon as they have solved the task, and some are scored by the best policy of their evaluations,
 * others by the last one.
 */
export function unfairnessOf(draft: ExperimentDraft, offer: Offer): Unfairness[] {
  if (draft.kind !== "variants" || draft.variants.length < 2) return [];
  return [lengths(draft, offer), endings(draft, offer), policies(draft, offer)].filter(
    (one) => one !== null,
  );
}

function lengths(draft: ExperimentDraft, offer: Offer): Unfairness | null {
  if (draft.steps.trim() !== "" || placesOf(draft).length > 1) return null;
  const known = draft.variants.flatMap((variant) => {
    const steps = lengthOf(draft, variant, offer);
    return steps === null ? [] : [{ variant, steps }];
  });
  if (known.length < draft.variants.length) return null;
  const sorted = known.toSorted((a, b) => a.steps - b.steps);
  const [least, most] = [sorted[0]!, sorted.at(-1)!];
  if (least.steps >= AS_LONG * most.steps) return null;
  const steps = presetOf(offer, most.variant)?.total_timesteps ?? most.steps;
  return {
    says:
      `${variantName(least.variant, offer)} trains for ${brief(least.steps)} steps and ` +
      `${variantName(most.variant, offer)} for ${brief(most.steps)}. ` +
      `${variantName(most.variant, offer)} may be better only because it trains longer.`,
    mend: `Train all for ${count(steps)} steps`,
    changes: { steps: String(steps) },
  };
}

function endings(draft: ExperimentDraft, offer: Offer): Unfairness | null {
  if (draft.advanced.every.trim() !== "") return null;
  const planOf = (variant: VariantDraft) => presetOf(offer, variant)?.evaluation;
  const early = draft.variants.find((variant) => planOf(variant)?.stop_after != null);
  const late = draft.variants.find((variant) => planOf(variant)?.stop_after == null);
  if (!early || !late) return null;
  return {
    says:
      `${variantName(early, offer)} ends when it has solved the task, but ` +
      `${variantName(late, offer)} continues and may be better only because it trains longer.`,
    ...evaluatedAlike(draft, offer),
  };
}

/**
 * The change that evaluates all variants as often as the one with the most evaluations, and trains them to their end.
 */
function evaluatedAlike({ advanced, variants }: ExperimentDraft, offer: Offer) {
  const often = Math.min(
    ...variants.flatMap((variant) => presetOf(offer, variant)?.evaluation?.every_steps ?? []),
  );
  return {
    mend: `Evaluate all every ${count(often)} steps`,
    changes: { advanced: { ...advanced, every: String(often) } },
  };
}

function policies(draft: ExperimentDraft, offer: Offer): Unfairness | null {
  const { advanced } = draft;
  if (advanced.policy !== "best" || advanced.every.trim() !== "") return null;
  const every = (variant: VariantDraft) =>
    presetOf(offer, variant)?.evaluation?.every_steps ?? null;
  const unjudged = draft.variants.find((variant) => every(variant) === null);
  const best = draft.variants.find((variant) => every(variant) !== null);
  if (!unjudged || !best) return null;
  return {
    says:
      `${variantName(best, offer)} is scored by the best policy of its evaluations, but ` +
      `${variantName(unjudged, offer)} is scored by its last policy, because it has no evaluations.`,
    ...evaluatedAlike(draft, offer),
  };
}
