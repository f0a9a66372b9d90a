"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLimits } from "@/api/choices";
import { comparisonQuery } from "@/api/metrics";
import { isActive } from "@/api/runs";
import type { Comparison, Run } from "@/api/types";
import { useChartGroup } from "@/charts/chart-group";
import { useChartSettings } from "@/charts/chart-settings";
import { useQueryString } from "@/lib/query-string";
import { readComparison, writeComparison } from "@/lib/url/comparison";
import { Boundary } from "@/ui/boundary";
import { CopyButton } from "@/ui/copy-button";
import { ThresholdField } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { comparedColumns } from "./columns";
import { CompareSkeleton } from "./compare-skeleton";
import { CurveOptions } from "./curve-options";
import { Curves, RETURN } from "./curves";
import { EpisodesCard } from "./episodes-card";
import { FigureTable } from "./figure-table";
import { RunChips } from "./run-chips";
import { RunPicker } from "./run-picker";
import { type ComparedGroup, comparedGroups } from "./seed-groups";
import { SeedsButton } from "./seeds-button";
import { seriesStylesOf, usualColorBy } from "./series-styles";
import { SettingsDiff } from "./settings-diff";
import { SideBySide } from "./side-by-side";
import { Suggestions } from "./suggestions";
import { UnknownRuns } from "./unknown-runs";
import { useComparedRuns } from "./use-compared-runs";
import { VerdictCard } from "./verdict-card";

/** Milliseconds between requests for the figures of runs that train; their curves follow the stream. */
const REFRESH_MS = 2_000;

const NO_GROUPS: readonly ComparedGroup[] = [];

export function Compare() {
  const [query, changeQuery] = useQueryString();
  const most = useLimits()?.compared_runs.maximum;
  const address = readComparison(query, most);
  const runs = useComparedRuns(address.runs);
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
  const color = address.color ?? usualColorBy(known);
  const seriesStyles = seriesStylesOf(known, color);
  const groups = comparedGroups(runs.known);
  const columns = comparedColumns(data?.runs ?? [], address.apart ? NO_GROUPS : groups);
  const changeFrom = (part: (now: typeof address) => Partial<typeof address>) =>
    changeQuery((query) => {
      const now = readComparison(query, most);
      return writeComparison(query, { ...now, ...part(now) });
    });
  const change = (part: Partial<typeof address>) => changeFrom(() => part);
  const metric = address.metric ?? RETURN;
  const choose = (chosen: readonly string[]) => change({ runs: chosen });
  const remove = (id: string) =>
    changeFrom(({ runs }) => ({ runs: runs.filter((other) => other !== id) }));
  const group = useChartGroup();
  const [settings, changeSettings] = useChartSettings(group);

  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-2">
        <RunPicker chosen={address.runs} onChange={choose} />
        <RunChips runs={known} seriesStyles={seriesStyles} onRemove={remove} />
        {ids.length > 1 && <ShareButton />}
      </div>
      <UnknownRuns ids={runs.unknown} onRemove={() => choose(ids)} />
      {runs.pending ? (
        <CompareSkeleton />
      ) : runs.error ? (
        <ErrorState error={runs.error} retry={runs.retry} />
      ) : ids.length < 2 ? (
        <Suggestions chosen={ids} onChoose={choose} />
      ) : error && !data ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !data ? (
        <CompareSkeleton />
      ) : (
        <>
          <VerdictCard verdict={data.verdict}>
            {data.environments.length === 1 && (
              <SeedsButton
                runs={runs.known}
                chosen={address.runs}
                caution={data.verdict?.seed_caution ?? null}
                onAdd={(ids) => changeFrom((now) => ({ runs: [...now.runs, ...ids] }))}
              />
            )}
          </VerdictCard>
          <Curves
            key={metric}
            {...{ metric, seriesStyles, group, settings }}
            onSettings={changeSettings}
            groups={metric === RETURN && !address.apart ? groups : NO_GROUPS}
            runs={known}
            environments={data.environments}
            options={
              <CurveOptions
                {...{ metric, color }}
                logged={data.logged}
                apart={metric === RETURN && groups.length > 0 ? address.apart : null}
                onApart={(apart) => change({ apart })}
                onMetric={(name) => change({ metric: name === RETURN ? null : name })}
                onColor={(by) => change({ color: by })}
              />
            }
          />
          <FigureTable
            comparison={data}
            columns={columns}
            seriesStyles={seriesStyles}
            aside={
              <ThresholdField
                chosen={address.threshold}
                used={data.threshold}
                onChange={(threshold) => change({ threshold })}
              />
            }
          />
          <Boundary what="The videos">
            <SideBySide runs={known} seriesStyles={seriesStyles} comparison={data} />
          </Boundary>
          <Boundary what="The episodes">
            <EpisodesCard runs={known} environments={data.environments} {...{ seriesStyles }} />
          </Boundary>
          <SettingsDiff comparison={data} columns={columns} seriesStyles={seriesStyles} />
        </>
      )}
    </div>
  );
}

/** The runs with the distinguishing labels that the service gives them, once loaded. */
function labelled(runs: readonly Run[], comparison: Comparison | undefined): Run[] {
  const labels = new Map(comparison?.runs.map(({ run, label }) => [run.id, label]));
  return runs.map((run) => ({ ...run, name: labels.get(run.id) ?? run.name }));
}

function withLabels(comparison: Comparison): Comparison {
  const runs = comparison.runs.map((one) => ({ ...one, run: { ...one.run, name: one.label } }));
  return { ...comparison, runs };
}

function ShareButton() {
  const address = typeof window === "undefined" ? "" : window.location.href;
  return (
    <span className="ml-auto py-0.5">
      <CopyButton text={address} label="Copy the address of this comparison" />
    </span>
  );
}
