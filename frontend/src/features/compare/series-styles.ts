import { SERIES_COUNT, seriesStyle, type SeriesStyle } from "@/components/ui/series-style";
import type { Run } from "@/lib/api";
import type { ColorBy } from "@/lib/url";

export type SeriesStyles = ReadonlyMap<string, SeriesStyle>;

type Styled = Pick<Run, "id" | "env_id" | "algo" | "preset">;

/**
 * Colour and dash of each run: its own, by its place in the address, so that a link looks the same to everyone; or that
 * of its group.
 */
export function seriesStylesOf(runs: readonly Styled[], by: ColorBy): SeriesStyles {
  const groups = [...new Set(runs.map((run) => groupOf(run, by)))];
  return new Map(runs.map((run) => [run.id, seriesStyle(groups.indexOf(groupOf(run, by)))]));
}

/** What tells runs apart best: themselves while there are colours for each, else what they differ in. */
export function usualColorBy(runs: readonly Styled[]): ColorBy {
  if (runs.length <= SERIES_COUNT) return "run";
  const differ = (by: ColorBy) => new Set(runs.map((run) => groupOf(run, by))).size > 1;
  return (["env_id", "algo", "preset"] as const).find(differ) ?? "run";
}

/** The value that a run shares with the others of its colour. */
export function groupOf(run: Styled, by: ColorBy): string {
  return by === "run" ? run.id : (run[by] ?? "no preset");
}
