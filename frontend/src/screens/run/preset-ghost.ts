"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAlgorithm, useEnvironment } from "@/api/choices";
import { measuredCurveQuery } from "@/api/metrics";
import type {
  Algorithm,
  Environment,
  MeasuredCurve,
  Preset,
  RunConfig,
  RunDetail,
} from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { HeldSource } from "@/charts/held-source";
import type { SeriesSpec } from "@/charts/prepare/model";
import { brief, compact, decimal, interval, plural } from "@/lib/number";
import type { MetricAxis } from "@/stream/series/axis";

interface PresetGhost {
  /** To be drawn behind the curve of the return. */
  series: readonly SeriesSpec[];
  sentence: string | null;
}

const NOTHING: PresetGhost = { series: [], sentence: null };

/** The measurements of a run's preset. They are known only over steps, so other axes do not show them. */
export function usePresetGhost(run: RunDetail, axis: MetricAxis): PresetGhost {
  const algorithm = useAlgorithm(run.algo);
  const environment = useEnvironment(run.env_id);
  const { config, reward_threshold: threshold, end_step: length } = run;
  const preset = useMemo(() => {
    if (!config) return null;
    return measuredPreset(config, algorithm, environmentOfRun(environment, config));
  }, [config, algorithm, environment]);
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

/** The measured curve or, without one, only the final return. */
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

type MeasuredPreset = Preset & { measured: NonNullable<Preset["measured"]> };

/**
 * The preset of a run, if it was measured and the run has its values unchanged; how long it trains may differ.
 * `environment`: with the run's options.
 */
export function measuredPreset(
  config: RunConfig,
  algorithm: Algorithm | undefined,
  environment: Environment | undefined,
): MeasuredPreset | null {
  const preset = environment?.presets[config.algo]?.find(({ id }) => id === config.preset);
  if (!algorithm || !preset?.measured) return null;
  const unchanged = algorithm.hyperparameters.every(({ name, default: usual }) => {
    const expected = name in preset.hyperparameters ? preset.hyperparameters[name] : usual;
    const own = name in config.hyperparameters ? config.hyperparameters[name] : expected;
    return JSON.stringify(own) === JSON.stringify(expected);
  });
  return unchanged ? { ...preset, measured: preset.measured } : null;
}

/** Share of the budget over which the final return is drawn, at its end. */
const END_SHARE = 0.06;

/**
 * The measurements as curves over steps: the final return with its interval, and the step by which half of the seeds
 * had solved it. Null beyond the `length` of the run, so that its chart is not widened.
 */
export function measuredCurves(
  { measured, total_timesteps: end }: MeasuredPreset,
  threshold: number | null,
  length: number,
) {
  const { return_iqm, return_low, return_high, steps_to_threshold: steps } = measured;
  const twice = (value: number) => [value, value];
  return {
    final:
      end > length
        ? null
        : {
            x: [end * (1 - END_SHARE), end],
            columns: {
              iqm: twice(return_iqm),
              low: twice(return_low ?? return_iqm),
              high: twice(return_high ?? return_iqm),
            },
          },
    solved:
      threshold === null || steps === null || steps > length
        ? null
        : { x: [steps], columns: { threshold: [threshold] } },
  };
}

/**
 * The measured learning curve up to the `length` of the run, so that its chart is not widened; null if that has fewer
 * than two points.
 */
export function curveWithin({ step, middle, low, high }: MeasuredCurve, length: number) {
  const count = step.filter((one) => one <= length).length;
  if (count < 2) return null;
  return {
    x: step.slice(0, count),
    columns: {
      middle: middle.slice(0, count),
      low: low.slice(0, count),
      high: high.slice(0, count),
    },
  };
}

/** How the measured curve was made. */
export function curveSentence({ source, shows }: MeasuredCurve): string {
  const of = source === "evaluation" ? "evaluations" : "returns in training";
  const over =
    shows === "iqm"
      ? "interquartile mean over the seeds with its 95 % interval"
      : "median of the seeds between their quartiles";
  return `The band behind the curve shows the preset's measured ${of}: ${over}.`;
}

/** How many measured seeds of the preset had solved it by `step`, in one or two sentences. */
export function measuredSentence(
  { title, measured, total_timesteps: end }: MeasuredPreset,
  threshold: number | null,
  step: number,
): string {
  const { seeds, return_iqm, return_low, return_high, sampled } = measured;
  const how = sampled ? "return with sampled actions" : "greedy return";
  const final = `After ${compact(end)} steps the final ${how} of its ${plural(seeds, "seed")} was ${decimal(return_iqm)} ${interval(return_low, return_high)}.`;
  if (threshold === null) return `Preset ${title}, as measured. ${final}`;
  return `Preset ${title}, as measured: ${solvedWords(measured, step, end)}. ${final}`;
}

/** How many seeds had solved it by `step`, if the steps of the seeds are known, and how many by the end. */
function solvedWords(measured: MeasuredPreset["measured"], step: number, end: number): string {
  const { seeds, solved, solved_steps: known, steps_to_threshold: median } = measured;
  const of = (count: number) => `${count === 0 ? "none" : count} of ${plural(seeds, "seed")}`;
  if (solved === 0) return `${of(0)} solved it`;
  if (step >= end) return `${of(solved)} had solved it by this step`;
  if (known) {
    const here = known.filter((at) => at <= step).length;
    return here === solved
      ? `${of(here)} had solved it by this step`
      : `${of(here)} had solved it by this step, ${solved} by the end`;
  }
  return median === null
    ? `${of(solved)} solved it`
    : `${of(solved)} solved it, in the median by step ${brief(median)}`;
}
