import type { Run } from "@/api/types";
import type { ColorBy } from "@/lib/url/comparison";
import { SERIES_COUNT, seriesStyle, type SeriesStyle } from "@/ui/series-style";

export type SeriesStyles = ReadonlyMap<string, SeriesStyle>;

type Styled = Pick<Run, "id" | "env_id" | "algo" | "preset">;

/**
 * Colour and dash of each run. By run, they depend on its place in the address, so that a link looks the same
 * to everyone; otherwise runs of a group share a colour.
 */
export function seriesStylesOf(runs: readonly Styled[], by: ColorBy): SeriesStyles {
  const groups = [...new Set(runs.map((run) => groupOf(run, by)))];
  return new Map(runs.map((run) => [run.id, seriesStyle(groups.indexOf(groupOf(run, by)))]));
}

/**
 * The default for what determines a colour: the run while there are enough colours, otherwise a property in
 * which runs differ.
 */
export function usualColorBy(runs: readonly Styled[]): ColorBy {
  if (runs.length <= SERIES_COUNT) return "run";
  const differ = (by: ColorBy) => new Set(runs.map((run) => groupOf(run, by))).size > 1;
  return (["env_id", "algo", "preset"] as const).find(differ) ?? "run";
}

/** The value of the property that determines a run's colour. */
function groupOf(run: Styled, by: ColorBy): string {
  return by === "run" ? run.id : (run[by] ?? "no preset");
}
