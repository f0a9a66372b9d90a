import type { Run } from "@/lib/api";
import { isGuest } from "@/lib/run-actions";

export interface MissingSeeds {
  /** A run of the group, to repeat. */
  runId: string;
  count: number;
}

/**
 * Seeds that the groups among `runs` lack of `enough`, from which on a verdict can rest on them; none where another seed says nothing: a
 * single group, a run that was forked or in which nothing learns.
 */
export function missingSeeds(runs: readonly Run[], enough: number): MissingSeeds[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) groups.set(run.group_id, [...(groups.get(run.group_id) ?? []), run]);
  if (groups.size < 2) return [];
  return [...groups.values()].flatMap(([first, ...others]) => {
    const count = enough - 1 - others.length;
    if (!first || count < 1 || isGuest(first) || first.parent) return [];
    return [{ runId: first.id, count }];
  });
}
