"use client";

import { useMemo } from "react";
import { useAlgorithm, useEnvironment, useNameOfAlgorithm } from "@/api/choices";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import { hasEnded, isGreedy } from "@/api/runs";
import type { MetricInfo, RunDetail } from "@/api/types";
import { randomReturnOfRun } from "@/api/variant";
import { lengthChart, rewardChart } from "@/charts/prepare/learning-curves";
import type { ChartSource, ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import type { Column } from "@/stream/series/column";
import type { RunSeries } from "@/stream/series/run-series";
import { useMetricNames, useSeries } from "@/stream/series/use-run-curves";
import { type PastLine, withContext, withPast } from "./past";
import { componentsAmong } from "./reward-components";

export interface ChartSelection {
  /** Metrics with a chart of their own on the page. */
  main: string[];
  /** Metrics with a chart in "More metrics". */
  more: string[];
  /** Metrics that would be a straight line, shown as a value instead. */
  figures: string[];
}

export interface ChartedMetrics {
  /** Metrics that the algorithm will log, for which charts are placed from the start. */
  expected: readonly string[];
  /** Metrics that were logged. */
  found: readonly string[];
  /** Logged metrics with only one value so far. */
  constant: ReadonlySet<string>;
  /** Logged metrics that change along a straight line. */
  straight: ReadonlySet<string>;
}

/**
 * Decides which metric is shown where. Every logged metric is shown; components of the reward have a chart of
 * their own together.
 */
export function selectCharts(
  registry: MetricRegistry,
  { expected, found, constant, straight }: ChartedMetrics,
): ChartSelection {
  const logged = new Set(found);
  const components = new Set(componentsAmong(registry, found));
  const all = registry.sorted(new Set([...expected, ...found])).map((name) => registry.get(name));
  const headline = ({ place, superseded_by: by }: MetricInfo) =>
    place === "headline" && !(by !== null && all.some(({ name }) => name === by));
  const tellsNothing = ({ name, kind }: MetricInfo) =>
    kind === "count" || (kind === "schedule" && constant.has(name));
  const main = all.filter((metric) => headline(metric) && !tellsNothing(metric));
  const rest = all.filter(
    (metric) =>
      logged.has(metric.name) &&
      !components.has(metric.name) &&
      !main.includes(metric) &&
      (metric.place === "headline" || metric.place === "detail"),
  );
  const isFigure = (metric: MetricInfo) =>
    tellsNothing(metric) ||
    constant.has(metric.name) ||
    (metric.kind === "schedule" && straight.has(metric.name));
  return {
    main: main.map(({ name }) => name),
    more: rest.filter((metric) => !isFigure(metric)).map(({ name }) => name),
    figures: rest.filter(isFigure).map(({ name }) => name),
  };
}

export function metricChart(
  registry: MetricRegistry,
  source: ChartSource,
  metric: string,
  empty: string,
): ChartSpec {
  const { label, help, unit, negate, kind, minimum, maximum } = registry.get(metric);
  const logged = registry.isKnown(metric) && !negate ? ` Logged as ${metric}.` : "";
  return {
    id: metric,
    title: label,
    help: help === "" ? undefined : `${help}${logged}`,
    unit,
    references: [],
    bounds: { minimum, maximum },
    empty,
    series: [
      {
        ...{ id: metric, source, metric, mode: "line", color: "chart-mean", negate },
        label: registry.isKnown(metric) ? label : "Value",
        // Schedules and counts are exact, so smoothing would only delay them.
        smooth: kind === "measured",
      },
    ],
  };
}

/** The chart that shows a metric. */
export function chartOf(specs: readonly ChartSpec[], metric: string): ChartSpec | undefined {
  return specs.find(
    ({ id, series }) => id === metric || series.some((one) => one.metric === metric),
  );
}

export interface Charts {
  /** The first chart of the page. */
  first: ChartSpec;
  main: ChartSpec[];
  more: ChartSpec[];
  /** Metrics of the reward's components, if there are several. */
  components: readonly string[];
  /** Metrics shown as a value. */
  figures: string[];
}

const NONE: readonly string[] = [];

/**
 * The charts of a run: those of its algorithm, then every other metric in its journal. `behind` is drawn behind the curve
 * of the return, `beside` like it.
 */
export function useCharts(
  run: RunDetail,
  series: RunSeries,
  past: readonly PastLine[],
  behind: readonly SeriesSpec[],
  beside: readonly SeriesSpec[],
): Charts {
  const registry = useMetricRegistry();
  const expected = useAlgorithm(run.algo)?.metrics ?? NONE;
  const found = useMetricNames(series);
  const traits = useSeriesTraits(series);
  const algorithm = useNameOfAlgorithm(run.algo);
  const subject = [run.name, run.env_id, algorithm, `seed ${run.seed}`].join(" · ");
  const ended = hasEnded(run);
  const { reward_threshold: threshold, config } = run;
  const greedy = isGreedy(run);
  const environment = useEnvironment(run.env_id);
  const random = config ? randomReturnOfRun(environment, config) : null;
  return useMemo(() => {
    const how = greedy ? ("greedy" as const) : ("sampled" as const);
    const evaluated = found.includes("eval/mean_reward") ? how : null;
    // Once the run has ended, metrics that were never logged get no empty chart.
    const { main, more, figures } = selectCharts(registry, {
      ...{ expected: ended ? NONE : expected, found },
      ...{ constant: traits.constant, straight: traits.straight },
    });
    const empty = ended ? "The run ended before this was logged" : "Nothing logged yet";
    const chart = (metric: string) =>
      withPast({ ...metricChart(registry, series, metric, empty), subject }, past);
    const words = (metric: string) => ({
      ...wordsOf(registry, metric),
      ...{ subject, evaluated, meanEpisodes: registry.meanEpisodes },
    });
    const length = withPast(lengthChart(series, words("episode/length")), past);
    const reward = rewardChart(series, { threshold, random }, words("episode/reward"));
    const drawn = withContext(withPast(reward, past), behind);
    return {
      first: beside.length === 0 ? drawn : { ...drawn, series: [...drawn.series, ...beside] },
      main: [...(traits.lengthTells ? [length] : []), ...main.map(chart)],
      more: [...(traits.lengthTells ? [] : [length]), ...more.map(chart)],
      components: componentsAmong(registry, found),
      figures,
    };
  }, [
    registry,
    series,
    expected,
    threshold,
    random,
    found,
    greedy,
    traits,
    ended,
    subject,
    past,
    behind,
    beside,
  ]);
}

function wordsOf(registry: MetricRegistry, metric: string) {
  const { label: title, help, unit } = registry.get(metric);
  return { title, help, unit };
}

/** Properties of a run's values that decide which charts are worth drawing. */
interface SeriesTraits {
  /** Metrics with only one value so far. */
  constant: ReadonlySet<string>;
  /** Metrics whose points lie on a straight line, constant or not. */
  straight: ReadonlySet<string>;
  /** Whether episode lengths say more than returns do. */
  lengthTells: boolean;
}

/** With fewer episodes, it is too early to decide whether lengths repeat the returns. */
const ENOUGH = 3;

export function seriesTraits(series: RunSeries): SeriesTraits {
  const names = series.names.get();
  return {
    constant: new Set(names.filter((name) => isConstant(series.column(name)))),
    straight: new Set(names.filter((name) => isStraight(series.column(name)))),
    lengthTells: !repeats(series.column("episode/reward"), series.column("episode/length")),
  };
}

function isConstant({ y, length }: Column): boolean {
  let only = Number.NaN;
  for (let i = 0; i < length; i += 1) {
    const value = y[i]!;
    if (Number.isNaN(value)) continue;
    if (Number.isNaN(only)) only = value;
    else if (value !== only) return false;
  }
  return true;
}

/** Largest deviation from the line, as a share of its rise, that counts as rounding. */
const ROUNDING = 1e-3;

function isStraight({ x, y, length }: Column): boolean {
  const [from, to] = [0, length - 1];
  const rise = y[to]! - y[from]!;
  for (let i = 1; i < to; i += 1) {
    const share = x[to] === x[from] ? 0 : (x[i]! - x[from]!) / (x[to]! - x[from]!);
    // Gaps do not count.
    if (!(Math.abs(y[i]! - y[from]! - share * rise) <= Math.abs(rise) * ROUNDING)) return false;
  }
  return true;
}

/**
 * Whether every length equals the return of its episode, except for the sign and the last reward, as it does
 * where each step is rewarded with 1 or −1. Thinned columns are compared where they have the same positions.
 */
function repeats(returns: Column, lengths: Column): boolean {
  if (lengths.length < ENOUGH) return true;
  let at = 0;
  for (let i = 0; i < lengths.length; i += 1) {
    while (at < returns.length && returns.x[at]! < lengths.x[i]!) at += 1;
    if (returns.x[at] !== lengths.x[i]) continue;
    if (Math.abs(Math.abs(returns.y[at]!) - lengths.y[i]!) > 1) return false;
    at += 1;
  }
  return true;
}

/** Traits of a run's series: the same object until a trait changes, however many rows arrive. */
function useSeriesTraits(series: RunSeries): SeriesTraits {
  return useSeries(series, keyOf, seriesTraits);
}

/** Cached, since computing them reads every value, and React renders more often than rows arrive. */
const keys = new WeakMap<RunSeries, { revision: number; key: string }>();

function keyOf(series: RunSeries): string {
  const known = keys.get(series);
  if (known?.revision === series.revision) return known.key;
  const { constant, straight, lengthTells } = seriesTraits(series);
  const key = JSON.stringify([[...constant], [...straight], lengthTells]);
  keys.set(series, { revision: series.revision, key });
  return key;
}
