import type { Comparison } from "@/lib/api";

/** Range of the mean returns of the compared runs; null if their returns are not comparable. */
export function returnRange({ runs, environments }: Comparison): [number, number] | null {
  const returns = runs.flatMap(({ y }) => y.filter((value) => value !== null));
  if (environments.length > 1 || returns.length === 0) return null;
  return [Math.min(...returns), Math.max(...returns)];
}

/** The first step at which the mean return of a run was `wanted` or more; null if there is none. */
export function stepOfReturn(
  { runs, steps }: Comparison,
  runId: string,
  wanted: number,
): number | null {
  const { y = [] } = runs.find(({ run }) => run.id === runId) ?? {};
  const at = y.findIndex((value) => value !== null && value >= wanted);
  return steps[at] ?? null;
}
