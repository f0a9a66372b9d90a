"use client";

import { useQuery } from "@tanstack/react-query";
import { experimentQuery } from "@/api/experiments";
import { ApiError } from "@/api/http";
import type { Experiment } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { percent } from "@/lib/number";
import { Card } from "@/ui/card";
import { ErrorState, Notice } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";
import { doneText, leftText, trialsMade } from "./experiment-text";
import { TrialTable } from "./trial-table";

/** What an experiment trains now: each trial as a cell, and how far all of them are. */
export function ExperimentTrials({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery(experimentQuery(id));
  if (!data) {
    if (error instanceof ApiError && error.status === 404) return null; // the results below say so
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <Skeleton className="h-40" />;
  }
  return <Trials experiment={data} />;
}

function Trials({ experiment }: { experiment: Experiment }) {
  const { status, progress, cause, problem, searches } = experiment;
  const isDone = progress >= 1;
  const words = [isDone ? null : percent(progress), leftText(experiment)];
  if (searches && isDone && !problem && !cause) return null; // what it has found says the rest
  return (
    <Card
      title="Trials"
      aside={
        <span className="flex items-center gap-1 text-xs text-ink-soft tabular-nums">
          {words.filter((one) => one !== null).join(" · ")}
          <ChartHelp title="told of its trials" text={trialsMade(experiment)} />
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <div className="flex flex-col gap-1.5">
        {!isDone && (
          <Progress share={progress} label="Progress of all trials" live={status === "running"} />
        )}
        <p className="text-xs text-ink-soft tabular-nums">{doneText(experiment)}</p>
      </div>
      {(problem ?? cause) && (
        <Notice
          tone={status === "failed" ? "bad" : "warn"}
          title={problem ? "It waits" : "It ended"}
        >
          <p className="break-words">{problem ?? cause}</p>
        </Notice>
      )}
      {!searches && <TrialTable experiment={experiment} />}
    </Card>
  );
}
