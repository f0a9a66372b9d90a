import type { Comparison } from "@/lib/api";

/** From the least to the largest mean return of the compared runs; null where their returns cannot be compared. */
export function returnRange({ runs, environments }: Comparison): [number, number] | null {
  const returns = runs.flatMap(({ y }) => y.filter((value) => value !== null));
  if (environments.length > 1 || returns.length === 0) return null;
  return [Math.min(...returns), Math.max(...returns)];
}

/** The step at which the mean return of a run first was `wanted` or more; null if it never was. */
export function stepOfReturn(
  { runs, steps }: Comparison,
  runId: string,
  wanted: number,
): number | null {
  const { y = [] } = runs.find(({ run }) => run.id === runId) ?? {};
  const at = y.findIndex((value) => value !== null && value >= wanted);
  return steps[at] ?? null;
}
