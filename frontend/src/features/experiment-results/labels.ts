import type { ExperimentResults } from "@/api/types";

const MOST_VARIANTS = 12;
const MOST_TRIALS = 200;

/** Whether tables and pictures show each seed by itself too; of very many the trials above show them. */
export function showsSeeds({ variants, trials }: ExperimentResults): boolean {
  return variants.length <= MOST_VARIANTS && trials <= MOST_TRIALS;
}

type Scored = ExperimentResults["variants"][number];

/** What verdict, pairs and profiles are of: the variants, or where they are of several environments, the methods. */
export function comparedIn({ across, variants }: ExperimentResults): readonly Scored[] {
  return across?.methods ?? variants;
}

/** The same from the best to the worst; those without scores come last, in the order of the specification. */
export function bestFirst<One extends Pick<Scored, "rank">>(variants: readonly One[]): One[] {
  const standing = ({ rank }: One) => rank ?? variants.length + 1;
  return variants.toSorted((one, other) => standing(one) - standing(other));
}

/** Steps to the threshold of the variants that were trained, the best by score first. */
export function arrivalsOf({ thresholds, variants }: ExperimentResults) {
  const known = new Map(thresholds?.variants.map((one) => [one.variant, one]));
  return bestFirst(variants).flatMap(({ variant }) => known.get(variant) ?? []);
}

/** Labels of variants by id. */
export function labelsOf(
  variants: readonly { variant: string; label: string }[],
): (id: string) => string {
  const known = new Map(variants.map(({ variant, label }) => [variant, label]));
  return (id) => known.get(id) ?? id;
}

/** The place of each variant in the specification: the same colour in every picture. */
export function placesOf(variants: readonly { variant: string }[]): (id: string) => number {
  const known = new Map(variants.map(({ variant }, place) => [variant, place]));
  return (id) => known.get(id) ?? 0;
}
