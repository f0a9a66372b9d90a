import type { SearchResults } from "@/lib/api";
import { plural, setting } from "@/lib/format";
import { PRUNERS, SAMPLERS } from "@/lib/sweep-text";

/** A searched value with four significant digits: `0.9999`, `3e-5`, `64, 64`. */
export function parameterText(value: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value)) return setting(value);
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  if (size > 0 && size < 1e-3) return rounded.toExponential();
  return String(rounded);
}

/** `Sampler: TPE. 2 seeds a trial. Pruner: median.` */
export function searchText({ sampler, pruner, seeds_per_trial }: SearchResults): string {
  const seeds = plural(seeds_per_trial, "seed");
  return `Sampler: ${SAMPLERS[sampler]}. ${seeds} a trial. Pruner: ${PRUNERS[pruner].toLowerCase()}.`;
}

/** `12 of 20 trials complete, 3 pruned, 1 failed`. */
export function countText({ counts, wanted }: SearchResults): string {
  const others = (["running", "pruned", "failed"] as const)
    .filter((state) => counts[state])
    .map((state) => `${counts[state]} ${state}`);
  return [`${counts.complete ?? 0} of ${plural(wanted, "trial")} complete`, ...others].join(", ");
}
