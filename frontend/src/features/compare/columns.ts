import type { Comparison } from "@/api/types";
import type { ComparedGroup } from "./seed-groups";

/** A column of the tables: a run, or the seeds of one setting together. */
export interface ComparedColumn {
  /** That of the run, or of the first of the seeds. */
  id: string;
  label: string;
  group: ComparedGroup | null;
}

/** The seeds of each group in one column; every other run has its own. */
export function comparedColumns(
  runs: Comparison["runs"],
  groups: readonly ComparedGroup[],
): ComparedColumn[] {
  return runs.flatMap(({ run }) => {
    const group = groups.find(({ runIds }) => runIds.includes(run.id)) ?? null;
    if (group && group.runIds[0] !== run.id) return [];
    return [{ id: run.id, label: group?.name ?? run.name, group }];
  });
}
