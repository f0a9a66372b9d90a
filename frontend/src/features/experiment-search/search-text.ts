import { PRUNERS, SAMPLERS } from "@/api/sweep-text";
import type { ExperimentCell, SearchedTrial, SearchResults } from "@/api/types";
import { plural, setting } from "@/lib/number";

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

/** Whether a trial that was proposed waits for a place to train at: none of its runs has begun. */
export function waits(
  { state, variant }: SearchedTrial,
  cells: readonly ExperimentCell[],
): boolean {
  if (state !== "running") return false;
  return cells.every((cell) => cell.variant !== variant || cell.status === "waiting");
}

/** `12 of 20 trials complete, 2 running, 1 waiting, 3 pruned, 1 failed`. */
export function countText(
  { counts, wanted, trials }: SearchResults,
  cells: readonly ExperimentCell[],
): string {
  const waiting = trials.filter((trial) => waits(trial, cells)).length;
  const others = [
    [(counts.running ?? 0) - waiting, "running"],
    [waiting, "waiting"],
    [counts.pruned ?? 0, "pruned"],
    [counts.failed ?? 0, "failed"],
  ] as const;
  const named = others.filter(([found]) => found > 0).map(([found, state]) => `${found} ${state}`);
  return [`${counts.complete ?? 0} of ${plural(wanted, "trial")} complete`, ...named].join(", ");
}
