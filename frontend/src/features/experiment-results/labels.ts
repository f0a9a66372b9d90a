import type { ExperimentResults } from "@/lib/api";

/** Variants up to which a table shows each of their seeds too; of more the trials above show them. */
export const MOST_WITH_SEEDS = 12;

type Scored = ExperimentResults["variants"][number];

/** What verdict, pairs and profiles are of: the variants, or where they are of several environments, the methods. */
export function comparedIn({ across, variants }: ExperimentResults): readonly Scored[] {
  return across?.methods ?? variants;
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
