"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { GripVertical, X } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { environmentsQuery } from "@/api/choices";
import { madeTexts } from "@/api/method-text";
import { isOfEpisodes, type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import { isActive } from "@/api/runs";
import type { MetricInfo, Run, RunGroup } from "@/api/types";
import { randomReturnOfRun } from "@/api/variant";
import { ChartCard } from "@/charts/chart-card";
import { type ChartGroup, useZoomDetail } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { ChartToolbar } from "@/charts/chart-toolbar";
import { isCrowded } from "@/charts/prepare/curve";
import { returnLevels } from "@/charts/prepare/learning-curves";
import type { ChartSpec } from "@/charts/prepare/model";
import { type SeedCurves, useSeedCurves } from "@/charts/seed-curves";
import { plural } from "@/lib/number";
import { keyStep, movedItem } from "@/lib/order";
import { episodeMeanOf, type RunSeries } from "@/stream/series/run-series";
import { useRunCurves } from "@/stream/series/use-run-curves";
import { Boundary } from "@/ui/boundary";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import type { Columns } from "./comparison";
import { ancestorLines, type ForkAncestor, useForkAncestors } from "./fork-ancestors";
import { type ComparedGroup, groupSeriesId, type SeriesStyles } from "./series-styles";

export const RETURN = "episode/reward";

/** Properties that all charts of the page share. */
interface Shared {
  runs: readonly Run[];
  /** The groups whose runs are drawn as one line with a band. */
  groups: readonly ComparedGroup[];
  /** Returns and lengths get one chart per environment, because their scales differ. */
  environments: readonly RunGroup[];
  seriesStyles: SeriesStyles;
  /** Of the page, since these stay when other metrics are drawn. */
  group: ChartGroup;
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

interface CurvesProps extends Shared {
  metrics: SharedMetrics;
  columns: Columns;
  /** Takes a chart away. */
  onHide: (metric: string) => void;
  /** Puts the charts in another order. */
  onOrder: (metrics: readonly string[]) => void;
  /** Rendered above the charts. */
  options: ReactNode;
}

/** Metrics by the place of their charts. */
export interface SharedMetrics {
  /** Drawn at once. */
  main: readonly string[];
  /** Drawn on request. */
  more: readonly string[];
}

/** Live curves of many metrics, each with all runs, with a cursor and a zoom in common. */
export function Curves({ metrics, columns, onHide, onOrder, options, ...shared }: CurvesProps) {
  const { settings, onSettings, group } = shared;
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="Charts" className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ChartToolbar settings={settings} onChange={onSettings} group={group} />
        {options}
      </div>
      <MetricGrid
        key={[...metrics.main].sort().join()}
        {...shared}
        {...{ columns, onHide, onOrder }}
        metrics={metrics.main}
      />
      {metrics.more.length > 0 && (
        <Disclosure
          summary={plural(metrics.more.length, "more metric")}
          open={isOpen}
          onToggle={setOpen}
        >
          {isOpen && (
            <div className="pt-2">
              <MetricGrid
                key={metrics.more.join()}
                {...shared}
                {...{ columns }}
                metrics={metrics.more}
              />
            </div>
          )}
        </Disclosure>
      )}
    </section>
  );
}

interface MetricGridProps extends Shared {
  /** Read only once, except for their order: for others, change `key`. */
  metrics: readonly string[];
  columns: Columns;
  onHide?: (metric: string) => void;
  onOrder?: (metrics: readonly string[]) => void;
}

const GRID: Record<Columns, string> = {
  1: "",
  2: "lg:grid-cols-2",
  3: "md:grid-cols-2 xl:grid-cols-3",
};

/** Maximum number of groups for which the service computes curves over seeds in one request. */
const MOST_SEED_METRICS = 20;

function MetricGrid({ metrics, columns, onHide, onOrder, ...shared }: MetricGridProps) {
  const { runs, groups, group, settings } = shared;
  const { axis, smoothing } = settings;
  const grouped = groups.flatMap(({ runIds }) => runIds);
  // The service makes one line of a group: its runs need no curves of their own.
  const alone = runs.filter(({ id }) => !grouped.includes(id));
  const names = metrics.flatMap(metricsFor);
  const { pool, curves } = useRunCurves(alone, { axis, smoothing, names });
  useZoomDetail(group, pool);
  const seedCurves = useSeedCurves(grouped, {
    ...{ axis, live: runs.some(isActive) },
    // Sorted, so that another order of the charts asks for nothing.
    metrics: [...metrics]
      .sort()
      .filter((name) => name !== RETURN)
      .slice(0, MOST_SEED_METRICS),
  });
  const ancestors = useForkAncestors(alone, settings);
  const loaders = alone.map(({ id }) => curves(id));
  const failed = alone.filter((_, i) => loaders[i]?.state.phase === "failed");
  const loading =
    alone.length > 0 &&
    groups.length === 0 &&
    loaders.every(({ series }) => series.revision === 0) &&
    failed.length === 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {failed.length > 0 && (
        <Notice
          tone="warn"
          role="status"
          title={`The curves of ${failed.map(({ name }) => name).join(", ")} could not be loaded`}
        >
          <p className="text-ink-soft">Trying again.</p>
        </Notice>
      )}
      {loading ? (
        <Skeleton className="h-72 md:h-96" />
      ) : (
        <div className={clsx("grid gap-4 *:min-w-0", GRID[columns])}>
          {metrics.flatMap((metric) =>
            panelsOf(metric, shared.environments).map((environment) => (
              <Boundary key={`${metric} ${environment?.title}`} what="The chart">
                <Panel
                  {...shared}
                  {...{ environment, metric, seedCurves, ancestors }}
                  isWide={metric === RETURN && metrics.length > 1}
                  seriesOf={(id) => curves(id).series}
                  onHide={onHide && metrics.length > 1 ? () => onHide(metric) : null}
                  onOrder={onOrder && metrics.length > 1 ? onOrder : null}
                  order={metrics}
                />
              </Boundary>
            )),
          )}
        </div>
      )}
    </div>
  );
}

/** The environments that have their own chart; null: one chart for all. */
function panelsOf(metric: string, environments: readonly RunGroup[]): readonly (RunGroup | null)[] {
  const isOfEpisodes = /^(episode|rollout|eval|reward)\//.test(metric);
  return isOfEpisodes || environments.length === 1 ? environments : [null];
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

interface PanelProps extends Shared {
  /** Null: all metrics. */
  environment: RunGroup | null;
  metric: string;
  seriesOf: (id: string) => RunSeries;
  seedCurves: SeedCurves;
  ancestors: readonly ForkAncestor[];
  /** Whether it takes a whole row. */
  isWide: boolean;
  onHide: (() => void) | null;
  onOrder: ((metrics: readonly string[]) => void) | null;
  /** The metrics of all charts, in their order. */
  order: readonly string[];
}

const DRAGGED = "application/x-rlviz-metric";

function Panel(props: PanelProps) {
  const { settings, onSettings, group, hidden, onToggle, isWide, onHide } = props;
  const { metric, order, onOrder } = props;
  const [isTarget, setTarget] = useState(false);
  const spec = useSpec(props);
  return (
    <div
      className={clsx(isWide && "col-span-full", isTarget && "rounded-lg ring-2 ring-accent")}
      onDragOver={(event) => {
        if (!onOrder || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setTarget(true);
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        setTarget(false);
        if (!onOrder || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        onOrder(movedItem(order, event.dataTransfer.getData(DRAGGED), metric));
      }}
    >
      <ChartCard
        {...{ spec, settings, onSettings, group, hidden, onToggle }}
        hasLegend={props.metric === RETURN && !isCrowded(spec)}
        className={isWide ? "h-64 md:h-72" : "h-44 md:h-48"}
        aside={
          <>
            {onOrder && <Grip title={spec.title} {...{ metric, order, onOrder }} />}
            {onHide && (
              <Button
                size="sm"
                variant="quiet"
                aria-label={`${spec.title}: remove`}
                title="Remove this chart"
                onClick={onHide}
                icon={<X aria-hidden className="size-3.5" />}
              />
            )}
          </>
        }
      />
    </div>
  );
}

interface GripProps {
  title: string;
  metric: string;
  order: readonly string[];
  onOrder: (metrics: readonly string[]) => void;
}

/** Moves a chart: dragged, or with an arrow key. */
function Grip({ title, metric, order, onOrder }: GripProps) {
  const place = order.indexOf(metric);
  return (
    <button
      type="button"
      draggable
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, metric)}
      aria-label={`${title}: place ${place + 1} of ${order.length}`}
      aria-keyshortcuts="ArrowLeft ArrowRight Home End"
      title="Drag, or press an arrow key"
      onKeyDown={(event) => {
        const by = keyStep(event.key, place, order.length);
        if (by === null) return;
        event.preventDefault();
        const grip = event.currentTarget;
        flushSync(() => onOrder(movedItem(order, metric, { by })));
        grip.focus(); // an element that is moved in the document loses the focus
      }}
      className="grid size-7 shrink-0 cursor-grab place-items-center rounded-sm text-ink-faint hover:text-ink max-md:hidden"
    >
      <GripVertical aria-hidden className="size-3.5" />
    </button>
  );
}

/** Memoised, since a new spec rebuilds the chart; live rows do not change it. */
function useSpec(props: PanelProps): ChartSpec {
  const { environments, environment, groups, seedCurves, ancestors, metric } = props;
  const { seriesStyles, seriesOf } = props;
  const registry = useMetricRegistry();
  const isOnly = environments.length === 1;
  const runs = environment
    ? props.runs.filter(({ id }) => environment.run_ids.includes(id))
    : props.runs;
  const title = environment?.title ?? environments.map((one) => one.title).join(", ");
  const threshold = environment?.threshold ?? null;
  const { data: offered } = useQuery(environmentsQuery);
  const played = offered?.find(({ id }) => id === runs[0]?.env_id);
  const random = runs[0] ? randomReturnOfRun(played, runs[0]) : null;
  const lines = runs.map(({ id, name }) => ({ id, name, style: seriesStyles.get(id) }));
  const bands = groups.filter(({ runIds }) =>
    runIds.every((id) => runs.some((run) => run.id === id)),
  );
  const inBand = new Set(bands.flatMap(({ runIds }) => runIds));
  const isReturnCurve = metric === RETURN;
  const made = bands.flatMap(({ id, name }) => {
    const found = seedCurves.madeOf(id);
    return found ? [{ label: name, made: found }] : [];
  });
  const bandHelp = isReturnCurve
    ? madeTexts(made, "group")
    : bands.length > 0
      ? "Groups of seeds show the interquartile mean with a 95 % bootstrap interval, up to the last step that all seeds have reached."
      : "";
  const notes = isReturnCurve
    ? bands.flatMap(({ id, name }) => {
        const note = seedCurves.noteOf(id);
        return note ? [`${name}: ${note}`] : [];
      })
    : [];
  const says = JSON.stringify([lines, bands, bandHelp, notes]);
  const known = registry.get(metric);
  return useMemo(() => {
    const { label, help, unit, negate, kind, minimum, maximum } = known;
    const isReturn = known.place === "return";
    const isEvaluation = metric.startsWith("eval/");
    const spec: ChartSpec = {
      id: metric,
      title: isOnly || !environment ? label : `${label} · ${title}`,
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
          ...(metric === EVALUATION && lines.length - inBand.size > MOST_SPREADS
            ? [`± one deviation is drawn for up to ${MOST_SPREADS} runs`]
            : []),
          ...notes,
        ].join(" · ") || undefined,
      series: [
        ...bands.map(({ id, name, runIds }) => ({
          ...{ id: groupSeriesId(id), metric: "iqm", smooth: false, negate, label: name },
          source: seedCurves.sourceOf(id, isReturnCurve ? undefined : metric),
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
            mode: isOfEpisodes(metric)
              ? ("points" as const)
              : isEvaluation
                ? ("markers" as const)
                : ("line" as const),
            ...(metric === EVALUATION &&
              lines.length - inBand.size <= MOST_SPREADS && { spread: EVALUATION_SPREAD }),
            smooth: kind === "measured",
            ...{ color: style?.color ?? "series-1", dash: style?.dash },
          })),
      ],
      references:
        isReturn && metric !== EVALUATION_SPREAD ? returnLevels({ threshold, random }) : [],
    };
    return { ...spec, context: ancestorLines(ancestors, spec.series) };
    // `says` holds all of `lines`, `bands` and `notes` that the chart shows, and a run keeps its series.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [says, threshold, random, known, metric, title, isOnly, ancestors]);
}

/**
 * The metrics that are drawn: the chosen ones, or those that lines share. `loggedBy`: the names that each line has
 * logged. Metrics of a single line come last.
 */
export function sharedMetrics(
  registry: MetricRegistry,
  loggedBy: readonly (readonly string[])[],
  chosen: readonly string[] | null,
): SharedMetrics {
  if (chosen !== null) return { main: chosen, more: [] };
  const lines = new Map<string, number>();
  for (const names of loggedBy)
    for (const name of new Set(names)) lines.set(name, (lines.get(name) ?? 0) + 1);
  const shared = (name: string) => (lines.get(name) ?? 0) > 1;
  const drawn = metricChoices(registry, lines.keys()).flatMap(({ metrics }) => metrics);
  const names = registry.sorted(drawn.map(({ name }) => name).filter((name) => name !== RETURN));
  const isFirst = (name: string) =>
    shared(name) && registry.get(name).place !== "detail" && !SECOND.includes(name);
  const first = names.filter(isFirst);
  const second = names.filter((name) => shared(name) && !isFirst(name) && !SECOND.includes(name));
  const main = [RETURN, ...first, ...second].slice(0, MOST_AT_ONCE);
  return { main, more: names.filter((name) => !main.includes(name)) };
}

/** Charts that are drawn before more are asked for. */
const MOST_AT_ONCE = 9;

/** What another chart shows already. */
const SECOND = ["rollout/ep_rew_mean", "rollout/ep_len_mean", EVALUATION_SPREAD];

/** The heading of components of the reward that only an environment of the user has. */
const COMPONENTS = "Reward components";

interface MetricGroup {
  title: string;
  metrics: readonly MetricInfo[];
}

/**
 * The named metrics that can be drawn, by group; the last group holds those of the environment or of the user's own
 * program. Counters are left out: their curves are straight lines.
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
  const components = own.filter(({ component }) => component);
  const rest = own.filter(({ component }) => !component);
  const isOfReward = ({ metrics }: MetricGroup) => metrics[0]?.group === "reward";
  const place = known.findIndex(isOfReward);
  if (components.length > 0 && place >= 0)
    known[place]!.metrics = [...known[place]!.metrics, ...components];
  else if (components.length > 0) known.push({ title: COMPONENTS, metrics: components });
  return rest.length === 0 ? known : [...known, { title: "Not known to the app", metrics: rest }];
}
