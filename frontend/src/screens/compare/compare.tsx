"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { useLimits } from "@/api/choices";
import { ApiError } from "@/api/http";
import { keys } from "@/api/keys";
import { useMetricRegistry } from "@/api/metric-registry";
import { comparisonQuery } from "@/api/metrics";
import { isActive, restoreRun, runsByIdQuery } from "@/api/runs";
import type { Comparison, Run, RunGroup } from "@/api/types";
import { useChartGroup } from "@/charts/chart-group";
import { useChartSettings } from "@/charts/chart-settings";
import { plural } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { JudgedEpisodes, type JudgedRun } from "@/player/judged";
import { Boundary } from "@/ui/boundary";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { ThresholdField } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Swatch } from "@/ui/swatch";
import { ChartOptions } from "./chart-options";
import { type ComparisonAddress, readComparison, writeComparison } from "./comparison";
import { Curves, sharedMetrics } from "./curves";
import { FigureTable } from "./figure-table";
import { legendRows } from "./legend";
import { LegendTable } from "./legend-table";
import { RunPicker, Suggestions, useChosenPair } from "./run-picker";
import { SavedViews } from "./saved-views";
import { SeedsButton } from "./seeds-button";
import {
  type ComparedColumn,
  comparedColumns,
  type ComparedGroup,
  comparedGroups,
  type SeriesStyles,
  seriesStylesOf,
  usualColorBy,
} from "./series-styles";
import { SettingsDiff } from "./settings-diff";
import { SideBySide } from "./side-by-side";

/** Milliseconds between requests for the figures of runs that train; their curves follow the stream. */
const REFRESH_MS = 2_000;

const NO_GROUPS: readonly ComparedGroup[] = [];

export function Compare() {
  const [query, changeQuery] = useQueryString();
  const most = useLimits()?.compared_runs.maximum;
  const address = readComparison(query, most);
  const pairs = useChosenPair(address.runs === null);
  const { pair } = pairs;
  const chosenIds = address.runs ?? pair?.map(({ id }) => id) ?? NO_RUNS;
  const runs = useComparedRuns(chosenIds);
  const ids = runs.known.map(({ id }) => id);
  const {
    data: answer,
    error,
    refetch,
    isFetching,
  } = useQuery({
    ...comparisonQuery(ids, address.threshold),
    enabled: ids.length > 1 && !runs.pending,
    placeholderData: keepPreviousData,
    // Until the figures are those of runs that have ended.
    refetchInterval: ({ state }) =>
      runs.live || state.data?.runs.some(({ run }) => isActive(run)) ? REFRESH_MS : false,
  });
  const data = answer && withLabels(answer);
  const known = labelled(runs.known, answer);
  const allGroups = comparedGroups(runs.known);
  const groups = address.apart ? NO_GROUPS : allGroups;
  const columns = comparedColumns(
    known.map((run) => ({ run })),
    groups,
  );
  // The figures may still be of the runs before.
  const figureColumns = comparedColumns(data?.runs ?? [], groups);
  const color = address.color ?? usualColorBy(known, columns.length);
  const seriesStyles = seriesStylesOf(known, color, groups);
  const changeFrom = (part: (now: Address) => Partial<ComparisonAddress>) =>
    changeQuery((query) => {
      const { runs, ...now } = readComparison(query, most);
      const whole = { ...now, runs: runs ?? chosenIds };
      const changed = part(whole);
      // What the page chose stays its choice until the user changes it.
      return writeComparison(query, { ...now, runs, ...changed });
    });
  const change = (part: Partial<ComparisonAddress>) => changeFrom(() => part);
  const remove = (gone: readonly string[]) =>
    changeFrom(({ runs }) => ({ runs: runs.filter((id) => !gone.includes(id)) }));
  const group = useChartGroup({ sharesSeries: true });
  const [settings, changeSettings] = useChartSettings(group);
  const registry = useMetricRegistry();
  const hidden = new Set(address.hidden);
  const toggle = (id: string) =>
    changeFrom(({ hidden }) => ({
      hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id],
    }));
  const metrics = sharedMetrics(registry, loggedBy(columns, data), address.metrics);
  const chartColumns = address.columns ?? USUAL_COLUMNS;

  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <RunPicker chosen={chosenIds} onChange={(runs) => change({ runs })} />
        <SavedViews isEmpty={ids.length === 0} />
        {pair && (
          <p className="text-xs text-ink-faint">
            Two completed runs on {pair[0].env_id}, chosen for you.
          </p>
        )}
        {ids.length > 1 && (
          <span className="ml-auto flex items-center gap-3 text-xs">
            <HoverLink
              href={`${routes.analyse}?runs=${ids.join(",")}`}
              className="rounded-sm text-accent hover:underline max-md:py-2"
            >
              Analyse them
            </HoverLink>
            <ShareButton ids={ids} />
          </span>
        )}
      </div>
      <UnknownRuns ids={runs.unknown} onRemove={() => change({ runs: ids })} />
      {runs.pending || pairs.isPending ? (
        <CompareSkeleton />
      ) : runs.error ? (
        <ErrorState error={runs.error} retry={runs.retry} />
      ) : (
        <>
          {data && ids.length > 1 && (
            <VerdictCard verdict={data.verdict}>
              {data.environments.length === 1 && (
                <SeedsButton
                  runs={runs.known}
                  chosen={chosenIds}
                  caution={data.verdict?.seed_caution ?? null}
                  onAdd={(ids) => changeFrom((now) => ({ runs: [...now.runs, ...ids] }))}
                />
              )}
            </VerdictCard>
          )}
          <LegendTable
            rows={legendRows(columns, known, ids.length > 1 ? data : undefined)}
            {...{ seriesStyles, group, hidden }}
            onToggle={toggle}
            onRemove={remove}
          />
          {ids.length < 2 ? (
            <Suggestions chosen={ids} onChoose={(runs) => change({ runs })} />
          ) : error && !data ? (
            <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
          ) : !data ? (
            <CompareSkeleton />
          ) : (
            <>
              <Curves
                {...{ seriesStyles, group, settings, groups, hidden, metrics }}
                onSettings={changeSettings}
                onToggle={toggle}
                columns={chartColumns}
                runs={known}
                environments={data.environments}
                onHide={(name) => change({ metrics: metrics.main.filter((one) => one !== name) })}
                onOrder={(order) => change({ metrics: order })}
                options={
                  <ChartOptions
                    color={color}
                    drawn={metrics.main}
                    isChosen={address.metrics !== null}
                    logged={data.logged}
                    onMetrics={(metrics) => change({ metrics })}
                    onColor={(by) => change({ color: by })}
                    columns={chartColumns}
                    onColumns={(columns) => change({ columns })}
                    apart={allGroups.length > 0 ? address.apart : null}
                    onApart={(apart) => change({ apart })}
                  />
                }
              />
              <Boundary what="The policies">
                <SideBySide
                  {...{ seriesStyles }}
                  runs={known}
                  comparison={data}
                  view={address.policies}
                  onView={(policies) => change({ policies })}
                />
              </Boundary>
              <FigureTable
                comparison={data}
                columns={figureColumns}
                seriesStyles={seriesStyles}
                aside={
                  <ThresholdField
                    chosen={address.threshold}
                    used={data.threshold}
                    onChange={(threshold) => change({ threshold })}
                  />
                }
              />
              <Boundary what="The episodes">
                <EpisodesCard runs={known} environments={data.environments} {...{ seriesStyles }} />
              </Boundary>
              <SettingsDiff comparison={data} columns={figureColumns} seriesStyles={seriesStyles} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** The address with the runs that the page chose, if it contains none. */
type Address = ComparisonAddress & { runs: readonly string[] };

const NO_RUNS: readonly string[] = [];
const USUAL_COLUMNS = 2;

/** The metrics of each line; for a group, those of any of its runs. */
function loggedBy(
  columns: readonly ComparedColumn[],
  comparison: Comparison | undefined,
): readonly string[][] {
  const byId = new Map(comparison?.runs.map(({ run, logged }) => [run.id, logged]));
  return columns.map(({ id, group }) =>
    (group?.runIds ?? [id]).flatMap((run) => byId.get(run) ?? []),
  );
}

/** The runs with the distinguishing labels from the service, once loaded. */
function labelled(runs: readonly Run[], comparison: Comparison | undefined): Run[] {
  const labels = new Map(comparison?.runs.map(({ run, label }) => [run.id, label]));
  return runs.map((run) => ({ ...run, name: labels.get(run.id) ?? run.name }));
}

function withLabels(comparison: Comparison): Comparison {
  const runs = comparison.runs.map((one) => ({ ...one, run: { ...one.run, name: one.label } }));
  return { ...comparison, runs };
}

function ShareButton({ ids }: { ids: readonly string[] }) {
  const address = typeof window === "undefined" ? "" : sharedAddress(window.location, ids);
  return <CopyButton text={address} label="Copy the address of this comparison" />;
}

/** The address with its runs, also if the page chose them. */
function sharedAddress({ origin, pathname, search }: Location, runs: readonly string[]): string {
  const query = new URLSearchParams(search);
  return `${origin}${pathname}${writeComparison(query, { ...readComparison(query), runs })}`;
}

export function CompareSkeleton() {
  return (
    <div role="status" aria-label="Loading the comparison" className="flex flex-col gap-4">
      <Skeleton className="h-20" />
      <Skeleton className="h-80" />
      <Skeleton className="h-96" />
    </div>
  );
}

export interface ComparedRuns {
  /** In the order of the address. */
  known: Run[];
  /** Ids that belong to no run (any more). */
  unknown: string[];
  pending: boolean;
  live: boolean;
  error: Error | null;
  retry: () => void;
}

/** The runs in the address, loaded in one request, so that a missing one does not hide the others. */
function useComparedRuns(ids: readonly string[]): ComparedRuns {
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...runsByIdQuery(ids),
    placeholderData: keepPreviousData,
  });
  const found = new Map(data?.runs.map((run) => [run.id, run]));
  const known = ids.flatMap((id) => found.get(id) ?? []);
  return {
    known,
    unknown: data && !isPlaceholderData ? ids.filter((id) => !found.has(id)) : [],
    pending: ids.length > 0 && isPending,
    live: known.some(isActive),
    error: data ? null : error,
    retry: () => void refetch(),
  };
}

interface EpisodesCardProps {
  runs: readonly Run[];
  environments: readonly RunGroup[];
  seriesStyles: SeriesStyles;
}

/** How the episodes of the compared runs end, and a search over all of them. Watching one opens its run. */
function EpisodesCard({ runs, environments, seriesStyles }: EpisodesCardProps) {
  const router = useRouter();
  const judged: JudgedRun[] = runs.map(({ id, name }) => ({
    ...{ id, name },
    mark: <Swatch seriesStyle={seriesStyles.get(id)} />,
  }));
  return (
    <Card title="Episodes" bodyClass="px-4 pt-1 pb-3">
      <JudgedEpisodes
        runs={judged}
        environments={environments.map(({ title, run_ids }) => ({
          title,
          runs: judged.filter(({ id }) => run_ids.includes(id)),
        }))}
        onWatch={({ run, evaluation, frame }) =>
          router.push(routes.runEvaluation(run, evaluation, frame))
        }
      />
    </Card>
  );
}

/** The result of the comparison in a sentence, with its reasons and limits; `children` say that of few seeds. */
function VerdictCard({
  verdict,
  children,
}: Pick<Comparison, "verdict"> & { children?: ReactNode }) {
  if (!verdict) return null;
  const cautions = verdict.cautions.filter((caution) => caution !== verdict.seed_caution);
  return (
    <section
      aria-label="In short"
      className="rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
    >
      <p className="text-lg font-semibold tracking-tight wrap-anywhere">{verdict.headline}</p>
      {verdict.why.map((reason) => (
        <p key={reason} className="mt-1 max-w-prose wrap-anywhere text-ink-soft">
          {reason}
        </p>
      ))}
      {cautions.length > 0 && (
        <p className="mt-1 max-w-prose text-xs wrap-anywhere text-ink-faint">
          {cautions.join(" ")}
        </p>
      )}
      {children}
    </section>
  );
}

interface UnknownRunsProps {
  ids: readonly string[];
  onRemove: () => void;
}

/** Ids in the address that belong to no run, with a button to restore those in the trash. */
export function UnknownRuns({ ids, onRemove }: UnknownRunsProps) {
  const { restore, busy, lost, error } = useRestore(ids);
  if (ids.length === 0) return null;
  return (
    <Notice
      tone="warn"
      role="alert"
      title={`${plural(ids.length, "run")} ${ids.length === 1 ? "does" : "do"} not exist, or no longer exist${ids.length === 1 ? "s" : ""}`}
    >
      <p className="font-mono text-xs wrap-anywhere text-ink-soft">{ids.join(", ")}</p>
      {lost && <p className="mt-1">Runs that were removed from the trash cannot be restored.</p>}
      {error && <p className="mt-1 text-bad">{error}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        {!lost && (
          <Button size="sm" needsService busy={busy} onClick={() => void restore()}>
            Restore from the trash
          </Button>
        )}
        <Button size="sm" onClick={onRemove}>
          Remove from comparison
        </Button>
      </div>
    </Notice>
  );
}

/** Restores the runs that are in the trash. */
function useRestore(ids: readonly string[]) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  /** Ids of runs that are not in the trash any more. */
  const [gone, setGone] = useState<readonly string[]>([]);
  const [error, setError] = useState<string | null>(null);
  const restore = async () => {
    setBusy(true);
    const answers = await Promise.allSettled(ids.map(restoreRun));
    const refused = answers.map((answer) => (answer.status === "rejected" ? answer.reason : null));
    const isGone = (cause: unknown) => cause instanceof ApiError && cause.isNotFound;
    setGone(ids.filter((_, i) => isGone(refused[i])));
    const failed: unknown = refused.find((cause) => cause !== null && !isGone(cause));
    setError(failed === undefined ? null : failed instanceof Error ? failed.message : "Try again.");
    await Promise.all(ids.map((id) => client.invalidateQueries({ queryKey: keys.run(id) })));
    void client.invalidateQueries({ queryKey: keys.runs });
    setBusy(false);
  };
  return { restore, busy, error, lost: ids.every((id) => gone.includes(id)) };
}
