import type { MetricRegistry } from "@/api/metric-registry";
import type { MetricInfo } from "@/api/types";
import type { ChartSource, ChartSpec } from "@/charts/prepare/model";

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
  /** Logged metrics whose points lie on a straight line. */
  straight: ReadonlySet<string>;
}

/** Decides which metric is shown where. Every logged metric is shown. */
export function selectCharts(
  registry: MetricRegistry,
  { expected, found, constant, straight }: ChartedMetrics,
): ChartSelection {
  const logged = new Set(found);
  const all = registry.sorted(new Set([...expected, ...found])).map((name) => registry.get(name));
  const headline = ({ place, superseded_by: by }: MetricInfo) =>
    place === "headline" && !(by !== null && all.some(({ name }) => name === by));
  const tellsNothing = ({ name, kind }: MetricInfo) =>
    kind === "count" || (kind === "schedule" && constant.has(name));
  const main = all.filter((metric) => headline(metric) && !tellsNothing(metric));
  const rest = all.filter(
    (metric) =>
      logged.has(metric.name) &&
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
