"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Disclosure } from "@/components/ui/disclosure";
import { ErrorState } from "@/components/ui/error-state";
import { Select } from "@/components/ui/select";
import {
  experimentExport,
  experimentReport,
  experimentResultsQuery,
  type ExportFormat,
  type ScoreKind,
} from "@/lib/api";
import { Results } from "./results";
import { ResultsSkeleton } from "./results-skeleton";

const SCORES: readonly [ScoreKind, string][] = [
  ["trial", "Fresh episodes after training"],
  ["training", "Last 100 episodes of training"],
  ["best", "Best policy that was kept"],
];
const FORMATS: readonly ExportFormat[] = ["json", "csv", "parquet", "markdown", "latex"];
const link = "rounded-sm font-medium text-accent hover:underline";

interface ExperimentViewProps {
  id: string;
  /** Whether the results are of a search: then they are there to be opened, below what was found. */
  folded: boolean;
}

/** The results of an experiment, for the score that is chosen. */
export function ExperimentView({ id, folded }: ExperimentViewProps) {
  const [score, setScore] = useState<ScoreKind>("trial");
  const { data, error, refetch, isFetching } = useQuery({
    ...experimentResultsQuery(id, score),
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
            onChange={(event) => setScore(event.currentTarget.value as ScoreKind)}
          >
            {SCORES.map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </Select>
        </label>
        {data && (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <a className={link} href={experimentReport(id, score)} target="_blank" rel="noreferrer">
              Report
            </a>
            {FORMATS.map((format) => (
              <a key={format} className={link} href={experimentExport(id, score, format)} download>
                {format}
              </a>
            ))}
          </span>
        )}
      </div>
      {data ? (
        folded ? (
          <Disclosure summary="Scores, curves and pairs of all trials">
            <div className="mt-3 flex flex-col gap-4">
              <Results results={data} />
            </div>
          </Disclosure>
        ) : (
          <Results results={data} />
        )
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ResultsSkeleton />
      )}
    </div>
  );
}
