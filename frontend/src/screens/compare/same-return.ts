import type { Comparison, KeptPolicy } from "@/api/types";

/** The mean returns of runs on a common axis of steps; null outside. */
export interface MeanReturns {
  steps: readonly number[];
  runs: readonly { id: string; y: readonly (number | null)[] }[];
}

/** Whether returns exist and are comparable between all runs. */
export function comparesReturns({ runs, environments }: Comparison): boolean {
  return environments.length === 1 && runs.some((run) => run.best_moving_average !== null);
}

/** Mean returns that can be selected. */
export interface Returns {
  least: number;
  largest: number;
  /** The largest that every run reached. */
  shared: number;
}

/** The mean returns of the compared runs; null if there are none. */
export function returnsOf({ runs }: MeanReturns): Returns | null {
  const curves = runs.map(({ y }) => y.filter((value) => value !== null));
  const known = curves.filter((values) => values.length > 0);
  if (known.length === 0) return null;
  return {
    least: Math.min(...known.flat()),
    largest: Math.max(...known.flat()),
    shared: Math.min(...known.map((values) => Math.max(...values))),
  };
}

/** When a run first reached a return and, if it never did, its largest return. */
export interface Reached {
  step: number | null;
  best: number | null;
}

/** The first step at which the mean return of a run was `wanted` or more. */
export function reachedReturn(
  { runs, steps }: MeanReturns,
  runId: string,
  wanted: number,
): Reached {
  const { y = [] } = runs.find(({ id }) => id === runId) ?? {};
  const at = y.findIndex((value) => value !== null && value >= wanted);
  const known = y.filter((value) => value !== null);
  return { step: steps[at] ?? null, best: known.length > 0 ? Math.max(...known) : null };
}

/** The first kept policy at or after `step`. */
export function firstPolicyFrom(
  policies: readonly KeptPolicy[],
  step: number,
): KeptPolicy | undefined {
  return policies.find((policy) => policy.step >= step) ?? policies.at(-1);
}
