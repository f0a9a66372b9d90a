import type { RunPast } from "@/api/types";
import type { ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import { RunSeries } from "@/stream/series/run-series";

/** Curves behind those of a run: of what it left behind, or of a run that led to it. */
export interface PastLine {
  id: string;
  label: string;
  dash: readonly number[];
  series: RunSeries;
}

const GHOST_DASH: readonly number[] = [];
const ANCESTOR_DASH = [7, 3];

export function pastLines({ x, ghosts, ancestors, mean_episodes }: RunPast): PastLine[] {
  const held = (series: RunPast["ghosts"][number]["series"]) => {
    const held = new RunSeries();
    held.load({ x, series, mean_episodes });
    return held;
  };
  return [
    ...ancestors.map(({ run_id, series }, i) => ({
      id: `ancestor ${run_id}`,
      label: i === ancestors.length - 1 ? "Parent, up to the fork" : "Runs before the parent",
      dash: ANCESTOR_DASH,
      series: held(series),
    })),
    ...ghosts.map(({ attempt, series }) => ({
      id: `ghost ${attempt}`,
      label: "Left behind",
      dash: GHOST_DASH,
      series: held(series),
    })),
  ];
}

/** The chart with what each of `past` has of its metric behind it. */
export function withPast(spec: ChartSpec, past: readonly PastLine[]): ChartSpec {
  const main = spec.series[0];
  if (!main || past.length === 0) return spec;
  const { metric, negate, smooth } = main;
  const context = past.flatMap(({ id, label, dash, series }): SeriesSpec[] => {
    if (series.column(metric).length === 0) return [];
    return [
      {
        ...{ id, label, dash, metric, source: series },
        ...{ mode: "line", color: "ink-faint", negate, smooth },
      },
    ];
  });
  return withContext(spec, context);
}

export function withContext(spec: ChartSpec, context: readonly SeriesSpec[]): ChartSpec {
  return context.length === 0 ? spec : { ...spec, context: [...(spec.context ?? []), ...context] };
}
