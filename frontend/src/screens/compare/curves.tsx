"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { environmentsQuery } from "@/api/choices";
import { madeTexts } from "@/api/made";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import { isActive } from "@/api/runs";
import type { MetricInfo, Run, RunGroup } from "@/api/types";
import { randomReturnOfRun } from "@/api/variant";
import { ChartCard } from "@/charts/chart-card";
import { type ChartGroup, useZoomDetail } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { ChartToolbar } from "@/charts/chart-toolbar";
import { returnLevels } from "@/charts/prepare/learning-curves";
import type { ChartSpec } from "@/charts/prepare/model";
import { useSeedCurves } from "@/charts/seed-curves";
import { episodeMeanOf, type RunSeries } from "@/stream/series/run-series";
import { useRunCurves } from "@/stream/series/use-run-curves";
import { Boundary } from "@/ui/boundary";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { COLOR_BY, type ColorBy } from "./comparison";
import { ancestorLines, type ForkAncestor, useForkAncestors } from "./fork-ancestors";
import type { ComparedGroup, SeriesStyles } from "./series-styles";

export const RETURN = "episode/reward";

interface CurvesProps {
  runs: readonly Run[];
  /** Those whose runs are drawn as one line with a band. */
  groups: readonly ComparedGroup[];
  /** One panel for each environment, since returns of different environments have different scales. */
  environments: readonly RunGroup[];
  seriesStyles: SeriesStyles;
  /** Read only once: for another metric, change `key`. */
  metric: string;
  /** Of the page, since these stay when another metric is drawn. */
  group: ChartGroup;
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
  /** Rendered above the charts. */
  options: ReactNode;
}

/** Live curves of one metric for all runs in one chart, with the tools of a run's charts. */
export function Curves(props: CurvesProps) {
  const { runs, groups, environments, seriesStyles, metric, group, settings, options } = props;
  const { axis, smoothing } = settings;
  const { pool, curves } = useRunCurves(runs, { axis, smoothing, names: metricsFor(metric) });
  useZoomDetail(group, pool);
  const grouped = groups.flatMap(({ runIds }) => runIds);
  const seedCurves = useSeedCurves(grouped, { axis, live: runs.some(isActive) });
  const ancestors = useForkAncestors(runs, settings);
  const loaders = runs.map(({ id }) => curves(id));
  const failed = runs.filter((_, i) => loaders[i]?.state.phase === "failed");
  const loading = loaders.every(({ series }) => series.revision === 0) && failed.length === 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {failed.length > 0 && (
        <Notice
          tone="warn"
          role="status"
          title={`The curve of ${failed.map(({ name }) => name).join(", ")} could not be loaded`}
        >
          <p className="text-ink-soft">Trying again.</p>
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ChartToolbar settings={settings} onChange={props.onSettings} group={group} />
        {options}
      </div>
      {loading ? (
        <Skeleton className="h-72 md:h-96" />
      ) : (
        environments.map((environment) => (
          <Boundary key={environment.title} what="The chart">
            <Panel
              {...{
                environment,
                metric,
                settings,
                group,
                groups,
                seedCurves,
                seriesStyles,
                ancestors,
              }}
              isOnly={environments.length === 1}
              runs={runs.filter(({ id }) => environment.run_ids.includes(id))}
              seriesOf={(id) => curves(id).series}
              onSettings={props.onSettings}
            />
          </Boundary>
        ))
      )}
    </div>
  );
}

const EVALUATION = "eval/mean_reward";
const EVALUATION_SPREAD = "eval/std_reward";
/** With more bands than this, they would cover each other. */
const MOST_SPREADS = 3;

/** Names of the metrics that drawing `metric` needs. */
function metricsFor(metric: string): string[] {
  const mean = episodeMeanOf(metric);
  return [
    metric,
    ...(metric === EVALUATION ? [EVALUATION_SPREAD] : []),
    ...(mean ? [mean.of] : []),
  ];
}

interface PanelProps {
  environment: RunGroup;
  isOnly: boolean;
  runs: readonly Run[];
  seriesOf: (id: string) => RunSeries;
  groups: readonly ComparedGroup[];
  seedCurves: ReturnType<typeof useSeedCurves>;
  ancestors: readonly ForkAncestor[];
  metric: string;
  seriesStyles: SeriesStyles;
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
  group: ChartGroup;
}

function Panel({ settings, onSettings, group, isOnly, ...shown }: PanelProps) {
  const spec = useSpec(shown, isOnly);
  return (
    <ChartCard
      {...{ spec, settings, onSettings, group }}
      className={isOnly ? "h-64 md:h-80" : "h-52 md:h-64"}
    />
  );
}

type Shown = Omit<PanelProps, "isOnly" | "settings" | "onSettings" | "group">;

/** Memoised, since a new spec rebuilds the chart; live rows do not change it. */
function useSpec(
  { environment, runs, seriesOf, groups, seedCurves, ancestors, metric, seriesStyles }: Shown,
  isOnly: boolean,
): ChartSpec {
  const registry = useMetricRegistry();
  const { title, threshold } = environment;
  const { data: offered } = useQuery(environmentsQuery);
  const random = runs[0] ? randomReturnOfRun(offered, runs[0]) : null;
  const lines = runs.map(({ id, name }) => ({ id, name, style: seriesStyles.get(id) }));
  const bands = groups.filter(({ runIds }) =>
    runIds.every((id) => runs.some((run) => run.id === id)),
  );
  const inBand = new Set(bands.flatMap(({ runIds }) => runIds));
  const made = bands.flatMap(({ id, name }) => {
    const found = seedCurves.madeOf(id);
    return found ? [{ label: name, made: found }] : [];
  });
  const bandHelp = madeTexts(made, "group");
  const notes = bands.flatMap(({ id, name }) => {
    const note = seedCurves.noteOf(id);
    return note ? [`${name}: ${note}`] : [];
  });
  const says = JSON.stringify([lines, bands, bandHelp, notes]);
  const known = registry.get(metric);
  return useMemo(() => {
    const { label, help, unit, negate, kind, minimum, maximum } = known;
    const isReturn = known.place === "return";
    const isEvaluation = metric.startsWith("eval/");
    const spec: ChartSpec = {
      id: metric,
      title: isOnly ? label : `${label} · ${title}`,
      ...{
        help: [help, bandHelp].filter(Boolean).join(" ") || undefined,
        unit,
        bounds: { minimum, maximum },
      },
      subject: `${lines.length > 3 ? `${lines.length} runs` : lines.map(({ name }) => name).join(", ")} · ${title}`,
      empty:
        isReturn && !isEvaluation ? "No finished episode yet" : "None of the runs has logged this",
      leftOut:
        [
          ...(metric === EVALUATION && lines.length > MOST_SPREADS
            ? [`± one deviation is drawn for up to ${MOST_SPREADS} runs`]
            : []),
          ...notes,
        ].join(" · ") || undefined,
      series: [
        ...bands.map(({ id, name, runIds }) => ({
          ...{ id: `group ${id}`, source: seedCurves.sourceOf(id), metric: "iqm", smooth: false },
          label: name,
          over: { metric: "count", all: runIds.length, one: "seed" as const },
          ...{ mode: "line" as const, band: { low: "low", high: "high" } },
          color: seriesStyles.get(runIds[0]!)?.color ?? "series-1",
          dash: seriesStyles.get(runIds[0]!)?.dash,
        })),
        ...lines
          .filter(({ id }) => !inBand.has(id))
          .map(({ id, name, style }) => ({
            ...{ id, source: seriesOf(id), label: name, negate },
            // The mean over the last episodes is computed at every episode, however rarely it was
            // logged.
            metric: episodeMeanOf(metric)?.name ?? metric,
            mode: metric.startsWith("episode/")
              ? ("points" as const)
              : isEvaluation
                ? ("markers" as const)
                : ("line" as const),
            ...(metric === EVALUATION &&
              lines.length <= MOST_SPREADS && { spread: EVALUATION_SPREAD }),
            smooth: kind === "measured",
            ...{ color: style?.color ?? "series-1", dash: style?.dash },
          })),
      ],
      references:
        isReturn && metric !== EVALUATION_SPREAD ? returnLevels({ threshold, random }) : [],
    };
    return { ...spec, context: ancestorLines(ancestors, spec.series) };
    // `lines` holds nothing else that the chart shows, and a run keeps its series.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [says, threshold, random, known, metric, title, isOnly, ancestors]);
}

interface CurveOptionsProps {
  metric: string;
  /** Metrics that any of the runs has logged. */
  logged: readonly string[];
  onMetric: (metric: string) => void;
  color: ColorBy;
  onColor: (color: ColorBy) => void;
  /** Whether each seed of a group has a curve of its own; null without groups. */
  apart: boolean | null;
  onApart: (apart: boolean) => void;
}

const COLOR_NAMES: Record<ColorBy, string> = {
  run: "Run",
  env_id: "Environment",
  algo: "Algorithm",
  preset: "Preset",
};

/** Selects the metric to draw, and what determines a run's colour. */
export function CurveOptions({
  metric,
  logged,
  onMetric,
  color,
  onColor,
  apart,
  onApart,
}: CurveOptionsProps) {
  const registry = useMetricRegistry();
  const groups = metricChoices(registry, [RETURN, metric, ...logged]);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-ink-soft">
      {apart !== null && (
        <Switch label="Single seeds" className="text-xs" checked={apart} onChange={onApart} />
      )}
      <label className="flex items-center gap-1.5">
        Metric
        <Select
          aria-label="Metric"
          className="w-56"
          value={metric}
          onChange={(event) => onMetric(event.currentTarget.value)}
        >
          {groups.map(({ title, metrics }) => (
            <optgroup key={title} label={title}>
              {metrics.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      </label>
      <label className="flex items-center gap-1.5">
        Colour by
        <Select
          aria-label="Colour by"
          className="w-36"
          value={color}
          onChange={(event) => onColor(event.currentTarget.value as ColorBy)}
        >
          {COLOR_BY.map((by) => (
            <option key={by} value={by}>
              {COLOR_NAMES[by]}
            </option>
          ))}
        </Select>
      </label>
    </div>
  );
}

interface MetricGroup {
  title: string;
  metrics: readonly MetricInfo[];
}

/**
 * The metrics that can be drawn of those named, by group; the last group holds those that the environment or a program
 * of the user's own logs. Counters are left out: their curves are straight lines.
 */
export function metricChoices(registry: MetricRegistry, names: Iterable<string>): MetricGroup[] {
  const wanted = new Set(names);
  const known = registry.grouped(
    ({ name, place, kind }) => wanted.has(name) && place !== "none" && kind !== "count",
  );
  const own = registry
    .sorted(wanted)
    .filter((name) => !registry.isKnown(name))
    .map((name) => registry.get(name));
  return own.length === 0 ? known : [...known, { title: "Not known to the app", metrics: own }];
}
