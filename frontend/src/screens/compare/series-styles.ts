import type { Run } from "@/api/types";
import { SERIES_COUNT, seriesStyle, type SeriesStyle } from "@/ui/series-style";
import type { ColorBy } from "./comparison";

export type SeriesStyles = ReadonlyMap<string, SeriesStyle>;

type Styled = Pick<Run, "id" | "env_id" | "algo" | "preset">;

/**
 * Colour and dash of each run. By run, they depend on its place in the address, so that a link looks the same
 * to everyone, and the seeds of one of `groups` share theirs; otherwise runs with a property in common do.
 */
export function seriesStylesOf(
  runs: readonly Styled[],
  by: ColorBy,
  groups: readonly ComparedGroup[] = [],
): SeriesStyles {
  const keyOf = (run: Styled) =>
    (by === "run" && groups.find(({ runIds }) => runIds.includes(run.id))?.id) || groupOf(run, by);
  const keys = [...new Set(runs.map(keyOf))];
  return new Map(runs.map((run) => [run.id, seriesStyle(keys.indexOf(keyOf(run)))]));
}

/**
 * The default property for colours: the run while there are enough colours, otherwise a property in which runs differ.
 * `lines`: number of lines to distinguish.
 */
export function usualColorBy(runs: readonly Styled[], lines = runs.length): ColorBy {
  if (lines <= SERIES_COUNT) return "run";
  const differ = (by: ColorBy) => new Set(runs.map((run) => groupOf(run, by))).size > 1;
  return (["env_id", "algo", "preset"] as const).find(differ) ?? "run";
}

/** The value of the property that determines a run's colour. */
function groupOf(run: Styled, by: ColorBy): string {
  return by === "run" ? run.id : (run[by] ?? "no preset");
}

/** Compared runs that differ only in their seed. */
export interface ComparedGroup {
  id: string;
  /** Name of its first run, without the part that identifies the seed. */
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

/** The runs of each group, ordered by the first run of each. There is at least one group. */
export function byGroup<R extends Pick<Run, "group_id">>(runs: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const run of runs) groups.set(run.group_id, [...(groups.get(run.group_id) ?? []), run]);
  return groups;
}

/** Id of a group's series, which differs from the id of its first run. */
export function groupSeriesId(groupId: string): string {
  return `group ${groupId}`;
}

/** A column of the tables: a run, or the seeds of one setting together. */
export interface ComparedColumn {
  /** That of the run, or of the first of the seeds. */
  id: string;
  label: string;
  group: ComparedGroup | null;
}

/** The seeds of each group in one column; every other run has its own. */
export function comparedColumns(
  runs: readonly { run: Pick<Run, "id" | "name"> }[],
  groups: readonly ComparedGroup[],
): ComparedColumn[] {
  return runs.flatMap(({ run }) => {
    const group = groups.find(({ runIds }) => runIds.includes(run.id)) ?? null;
    if (group && group.runIds[0] !== run.id) return [];
    return [{ id: run.id, label: group?.name ?? run.name, group }];
  });
}
