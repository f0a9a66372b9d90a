import type { Run } from "@/lib/api";

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
  const members = new Map<string, typeof runs>();
  for (const run of runs) {
    members.set(run.group_id, [...(members.get(run.group_id) ?? []), run]);
  }
  return [...members]
    .filter(([, group]) => group.length > 1)
    .map(([id, group]) => ({ id, name: group[0]!.name, runIds: group.map((run) => run.id) }));
}
