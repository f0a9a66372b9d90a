import type { RunPage, SeedGroup } from "@/api/types";

/** A group whose seeds have lines of their own below it. `index`: its place in the list of runs and groups. */
export interface OpenGroup {
  index: number;
  group: SeedGroup;
}

/** Where a line lies: at which place of the list, and which seed of the open group there; null for the place itself. */
export interface Place {
  index: number;
  seed: number | null;
}

/** The open groups among the pages that are loaded, in the order of the list. Groups of other pages count as closed. */
export function openGroups(
  pages: ReadonlyMap<number, RunPage>,
  opened: ReadonlySet<string>,
  size: number,
): OpenGroup[] {
  if (opened.size === 0) return [];
  const found: OpenGroup[] = [];
  for (const [page, { runs, groups }] of pages) {
    runs.forEach((run, i) => {
      if (!opened.has(run.group_id)) return;
      const group = groups.find(({ id }) => id === run.group_id);
      if (group) found.push({ index: page * size + i, group });
    });
  }
  return found.sort((one, other) => one.index - other.index);
}

export function placeOf(line: number, open: readonly OpenGroup[]): Place {
  let inserted = 0;
  for (const { index, group } of open) {
    const seed = line - index - inserted - 1;
    if (seed < 0) break;
    if (seed < group.run_ids.length) return { index, seed };
    inserted += group.run_ids.length;
  }
  return { index: line - inserted, seed: null };
}

export function lineOfPlace({ index, seed }: Place, open: readonly OpenGroup[]): number {
  const inserted = open
    .filter((other) => other.index < index)
    .reduce((sum, { group }) => sum + group.run_ids.length, 0);
  return index + inserted + (seed === null ? 0 : seed + 1);
}

/** Number of lines of a list of `total` places. */
export function lineCount(total: number, open: readonly OpenGroup[]): number {
  return open.reduce((sum, { group }) => sum + group.run_ids.length, total);
}
