"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { HeldSource, type SeriesSpec } from "@/components/charts";
import { algorithmsQuery, environmentOfRun, environmentsQuery, type RunDetail } from "@/lib/api";
import type { MetricAxis } from "@/lib/stream";
import { type MeasuredPreset, measuredCurves, measuredPreset, measuredSentence } from "./measured";

interface PresetGhost {
  /** To be drawn behind the curve of the return. */
  series: readonly SeriesSpec[];
  sentence: string | null;
}

const NOTHING: PresetGhost = { series: [], sentence: null };

/** What was measured with the preset of a run. It is known over steps alone, and not drawn over other axes. */
export function usePresetGhost(run: RunDetail, axis: MetricAxis): PresetGhost {
  const { data: algorithms } = useQuery(algorithmsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const { config, reward_threshold: threshold, end_step: length } = run;
  const preset = useMemo(() => {
    if (!config) return null;
    const algorithm = algorithms?.find(({ id }) => id === config.algo);
    return measuredPreset(config, algorithm, environmentOfRun(environments, config));
  }, [config, algorithms, environments]);
  const series = useMemo(
    () => (preset ? ghostSeries(preset, threshold, length) : []),
    [preset, threshold, length],
  );
  if (!preset) return NOTHING;
  return {
    series: axis === "step" ? series : NOTHING.series,
    sentence: measuredSentence(preset, threshold, run.step),
  };
}

function ghostSeries(
  preset: MeasuredPreset,
  threshold: number | null,
  length: number,
): SeriesSpec[] {
  const { final, solved } = measuredCurves(preset, threshold, length);
  const held = ({ x, columns }: { x: number[]; columns: Record<string, number[]> }) => {
    const source = new HeldSource();
    source.load("step", x, columns);
    return source;
  };
  const common = { mode: "line", smooth: false, color: "ink-faint" } as const;
  const series: SeriesSpec[] = [];
  if (final) {
    series.push({
      ...{ ...common, id: "preset return", source: held(final), metric: "iqm" },
      label: `Preset's final return, ${preset.measured.seeds} seeds`,
      band: { low: "low", high: "high" },
    });
  }
  if (solved) {
    series.push({
      ...{ ...common, id: "preset solved", source: held(solved), metric: "threshold" },
      label: "Preset solved it, median",
    });
  }
  return series;
}
