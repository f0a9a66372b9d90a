"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { algorithmsQuery, environmentsQuery } from "@/api/choices";
import { measuredCurveQuery } from "@/api/metrics";
import type { MeasuredCurve, RunDetail } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { HeldSource } from "@/charts/held-source";
import type { SeriesSpec } from "@/charts/prepare/model";
import type { MetricAxis } from "@/stream/series/axis";
import {
  curveSentence,
  curveWithin,
  measuredCurves,
  type MeasuredPreset,
  measuredPreset,
  measuredSentence,
} from "./measured";

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
  const { data: curve } = useQuery({
    ...measuredCurveQuery(preset?.curve ?? ""),
    enabled: Boolean(preset?.curve) && axis === "step",
  });
  const series = useMemo(
    () => (preset ? ghostSeries(preset, curve, threshold, length) : []),
    [preset, curve, threshold, length],
  );
  if (!preset) return NOTHING;
  const sentence = measuredSentence(preset, threshold, run.step);
  if (axis !== "step") return { series: NOTHING.series, sentence };
  const isDrawn = series.some(({ id }) => id === CURVE);
  return { series, sentence: curve && isDrawn ? `${sentence} ${curveSentence(curve)}` : sentence };
}

const CURVE = "preset curve";

/** The measured curve, or where there is none the final return alone. */
function ghostSeries(
  preset: MeasuredPreset,
  curve: MeasuredCurve | undefined,
  threshold: number | null,
  length: number,
): SeriesSpec[] {
  const { final, solved } = measuredCurves(preset, threshold, length);
  const within = curve ? curveWithin(curve, length) : null;
  const held = ({ x, columns }: { x: number[]; columns: Record<string, (number | null)[]> }) => {
    const source = new HeldSource();
    source.load("step", x, columns);
    return source;
  };
  const common = { mode: "line", smooth: false, color: "ink-faint" } as const;
  const series: SeriesSpec[] = [];
  const seeds = `${preset.measured.seeds} seeds`;
  if (within) {
    series.push({
      ...{ ...common, id: CURVE, source: held(within), metric: "middle" },
      label: `Preset as measured, ${seeds}`,
      band: { low: "low", high: "high" },
    });
  } else if (final) {
    series.push({
      ...{ ...common, id: "preset return", source: held(final), metric: "iqm" },
      label: `Preset's final return, ${seeds}`,
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
