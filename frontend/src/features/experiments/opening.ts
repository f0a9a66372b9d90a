import { enter, type ExperimentDraft, FIRST, firstVariant, type Offer, presetsOf } from "./draft";
import { unfairnessOf } from "./fairness";

/**
 * The draft that the form opens with where it trains in these places: two variants that work there by what was
 * measured, and a comparison that is fair as it stands. Of the second variants the one that needs the fewest changes for
 * that is chosen: another algorithm, or else another preset of the first.
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
 * `moved`, which trains elsewhere or varies something else than `before`, with what is offered there. What the form had
 * opened with is replaced by what it opens with there.
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
  return enter(isOpening ? { ...moved, base: opened.base } : moved, there);
}

/** Whether nothing was changed since the form was opened. */
export function isUntouched(draft: ExperimentDraft, offer: Offer): boolean {
  return [FIRST, openingDraft(offer, draft.places)].some(
    (one) => JSON.stringify(one) === JSON.stringify(draft),
  );
}
