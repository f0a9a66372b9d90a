"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  experimentExport,
  experimentReport,
  experimentResultsQuery,
  type ExportFormat,
  type WantedResults,
} from "@/api/experiments";
import { useMetricRegistry } from "@/api/metric-registry";
import type { ExperimentResults, ScoreKind } from "@/api/types";
import { searchOf, useQueryString } from "@/lib/query-string";
import { Disclosure } from "@/ui/disclosure";
import { ThresholdField } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { Results } from "./results";

const SCORES: readonly ScoreKind[] = ["trial", "training", "best"];
const FORMATS: readonly [ExportFormat, string][] = [
  ["json", "JSON"],
  ["csv", "CSV"],
  ["parquet", "Parquet"],
  ["markdown", "Markdown"],
  ["latex", "LaTeX"],
];
const link = "rounded-sm font-medium text-accent hover:underline";

interface ExperimentViewProps {
  id: string;
  /** Whether these are results of a search: then they are in a section to open, below the search's own results. */
  folded: boolean;
}

/** The results of an experiment, for the score and the threshold that the address names. */
export function ExperimentView({ id, folded }: ExperimentViewProps) {
  const [query, changeQuery] = useQueryString();
  const wanted = wantedIn(query);
  const { score, threshold } = wanted;
  const { meanEpisodes } = useMetricRegistry();
  const change = (changes: Partial<WantedResults>) =>
    changeQuery((now) => withWanted(now, { ...wantedIn(now), ...changes }));
  const { data, error, refetch, isFetching } = useQuery({
    ...experimentResultsQuery(id, wanted),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-ink-soft">
        <label className="flex items-center gap-1.5">
          Score
          <Select
            className="w-60"
            value={score}
            onChange={(event) => change({ score: event.currentTarget.value as ScoreKind })}
          >
            {SCORES.map((kind) => (
              <option key={kind} value={kind}>
                {scoreText(kind, meanEpisodes)}
              </option>
            ))}
          </Select>
        </label>
        <ThresholdField
          chosen={threshold}
          used={data?.threshold ?? null}
          none={hasOwnThresholds(data) ? "its own" : "none"}
          onChange={(goal) => change({ threshold: goal })}
        />
        {data && (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <a
              className={link}
              href={experimentReport(id, wanted)}
              target="_blank"
              rel="noreferrer"
            >
              Report
            </a>
            {FORMATS.map(([format, name]) => (
              <a key={format} className={link} href={experimentExport(id, wanted, format)} download>
                {name}
              </a>
            ))}
          </span>
        )}
      </div>
      {data ? (
        folded ? (
          <Disclosure summary="Scores, curves and pairs of all trials">
            <div className="mt-3 flex flex-col gap-4">
              <Results experiment={id} results={data} />
            </div>
          </Disclosure>
        ) : (
          <Results experiment={id} results={data} />
        )
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ResultsSkeleton />
      )}
    </div>
  );
}

/** Whether each environment has its own threshold. */
function hasOwnThresholds(results: ExperimentResults | undefined): boolean {
  return results?.threshold === null && results.thresholds !== null;
}

function wantedIn(query: URLSearchParams): WantedResults {
  const text = query.get("threshold")?.trim() ?? "";
  const threshold = text === "" ? Number.NaN : Number(text);
  return {
    score: SCORES.find((kind) => kind === query.get("score")) ?? "trial",
    threshold: Number.isFinite(threshold) ? threshold : null,
  };
}

function scoreText(kind: ScoreKind, episodes: number | null): string {
  return {
    trial: "Fresh episodes after training",
    training: `Last ${episodes === null ? "" : `${episodes} `}episodes of training`,
    best: "Best policy that was kept",
  }[kind];
}

/** Writes into `query`, whose other parts stay. */
function withWanted(query: URLSearchParams, { score, threshold }: WantedResults): string {
  const next = new URLSearchParams(query);
  next.delete("score");
  next.delete("threshold");
  if (score !== "trial") next.set("score", score);
  if (threshold !== null) next.set("threshold", String(threshold));
  return searchOf(next);
}

export function ResultsSkeleton() {
  return (
    <div role="status" aria-label="Loading the results" className="flex flex-col gap-4">
      <Skeleton className="h-28" />
      <Skeleton className="h-64" />
      <Skeleton className="h-72" />
    </div>
  );
}
