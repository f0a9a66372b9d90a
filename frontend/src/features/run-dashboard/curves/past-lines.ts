import type { ChartSpec, SeriesSpec } from "@/components/charts";
import type { RunPast } from "@/lib/api";
import { loggedMeanOf, RunSeries } from "@/lib/stream";

/** Curves behind those of a run: of what it left behind, or of a run that led to it. */
export interface PastLine {
  id: string;
  label: string;
  dash: readonly number[];
  series: RunSeries;
}

const GHOST_DASH = [2, 3];
const ANCESTOR_DASH = [7, 3];

export function pastLines({ x, ghosts, ancestors }: RunPast): PastLine[] {
  const held = (series: RunPast["ghosts"][number]["series"]) => {
    const held = new RunSeries();
    held.load({ x, series });
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
  // Of the charts of episodes it is the mean that can be told from what is drawn over it.
  const main = spec.series.find(({ id }) => id === "mean") ?? spec.series[0];
  if (!main || past.length === 0) return spec;
  const logged = loggedMeanOf(main.metric);
  const context = past.flatMap(({ id, label, dash, series }): SeriesSpec[] => {
    const metric = series.names.get().includes(logged) ? logged : main.metric;
    if (series.column(metric).length === 0) return [];
    return [
      {
        ...{ id, label, dash, metric, source: series },
        ...{ mode: "line", color: "ink-faint", negate: main.negate, smooth: main.smooth },
      },
    ];
  });
  return context.length === 0 ? spec : { ...spec, context };
}
