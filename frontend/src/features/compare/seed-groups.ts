import type { Run } from "@/api/types";

/** Compared runs that differ in their seed alone. */
export interface ComparedGroup {
  id: string;
  /** Name of its first run, without what tells its seeds apart. */
  name: string;
  runIds: readonly string[];
}

/** The groups with more than one of `runs`, in the order of the first of each. */
export function comparedGroups(
  runs: readonly Pick<Run, "id" | "name" | "group_id">[],
): ComparedGroup[] {
  return [...byGroup(runs)]
    .filter(([, group]) => group.length > 1)
    .map(([id, group]) => ({ id, name: group[0]!.name, runIds: group.map((run) => run.id) }));
}

/** The runs of each group, of which there is at least one, in the order of the first of each. */
export function byGroup<R extends Pick<Run, "group_id">>(runs: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const run of runs) groups.set(run.group_id, [...(groups.get(run.group_id) ?? []), run]);
  return groups;
}
