"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Boundary } from "@/components/ui/boundary";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorState } from "@/components/ui/error-state";
import { type Comparison, comparisonQuery, isActive, type RunDetail } from "@/lib/api";
import { useLimits } from "@/lib/registry";
import { readComparison, useQueryString, writeComparison } from "@/lib/url";
import { CompareSkeleton } from "./compare-skeleton";
import { FigureTable } from "./figure-table";
import { Curves } from "./curves";
import { seriesStylesOf } from "./series-styles";
import { withDistinctNames } from "./distinct-names";
import { RunChips } from "./run-chips";
import { RunPicker } from "./run-picker";
import { SettingsDiff } from "./settings-diff";
import { Suggestions } from "./suggestions";
import { ThresholdField } from "./threshold-field";
import { UnknownRuns } from "./unknown-runs";
import { useComparedRuns } from "./use-compared-runs";
import { VerdictCard } from "./verdict-card";
import { Videos } from "./videos";

/** Figures of a run that trains are asked for again this often; its curve follows the stream. */
const REFRESH_MS = 2_000;

export function Compare() {
  const [query, replaceQuery] = useQueryString();
  const address = readComparison(query, useLimits()?.compared_runs.maximum);
  const runs = useComparedRuns(address.runs);
  const known = withDistinctNames(runs.known);
  const ids = known.map(({ id }) => id);
  const seriesStyles = seriesStylesOf(address.runs);
  const {
    data: answer,
    error,
    refetch,
    isFetching,
  } = useQuery({
    ...comparisonQuery(ids, address.threshold),
    enabled: ids.length > 1 && !runs.pending,
    placeholderData: keepPreviousData,
    // Until the figures themselves are of runs that have ended.
    refetchInterval: ({ state }) =>
      runs.live || state.data?.runs.some(({ run }) => isActive(run)) ? REFRESH_MS : false,
  });
  const data = answer && withNames(answer, known);
  const change = (part: Partial<typeof address>) =>
    replaceQuery(writeComparison(query, { ...address, ...part }));
  const choose = (chosen: readonly string[]) => change({ runs: chosen });
  const remove = (id: string) => choose(address.runs.filter((other) => other !== id));

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
          <VerdictCard comparison={data} />
          <Curves runs={known} seriesStyles={seriesStyles} threshold={data.threshold} />
          <FigureTable
            comparison={data}
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
            <Videos runs={known} seriesStyles={seriesStyles} />
          </Boundary>
          <SettingsDiff comparison={data} seriesStyles={seriesStyles} />
        </>
      )}
    </div>
  );
}

function withNames(comparison: Comparison, runs: readonly RunDetail[]): Comparison {
  const nameOf = new Map(runs.map(({ id, name }) => [id, name]));
  const renamed = comparison.runs.map((compared) => {
    const { run } = compared;
    return { ...compared, run: { ...run, name: nameOf.get(run.id) ?? run.name } };
  });
  return { ...comparison, runs: renamed };
}

function ShareButton() {
  const address = typeof window === "undefined" ? "" : window.location.href;
  return (
    <span className="ml-auto py-0.5">
      <CopyButton text={address} label="Copy the address of this comparison" />
    </span>
  );
}
