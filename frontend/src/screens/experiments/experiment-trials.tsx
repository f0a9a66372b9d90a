"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useMemo } from "react";
import { experimentQuery } from "@/api/experiments";
import { ApiError } from "@/api/http";
import type { Experiment } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { type SparklineScale, sparklineScale } from "@/charts/sparkline";
import { percent } from "@/lib/number";
import { TrialCell } from "@/screens/shared/trial-cell";
import { Card } from "@/ui/card";
import { useOpenLinks } from "@/ui/disclosure";
import { ErrorState, Notice } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";
import { ScrollRegion } from "@/ui/scroll-region";
import { doneText, leftText, trialsMade } from "./experiment-text";

/** The progress of an experiment: each trial as a cell, and the total. */
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
          <ChartHelp title="shown for the trials" text={trialsMade(experiment)} />
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

/** Seeds whose cells would be bars if they filled the width. */
const FEW = 3;

/** Variants by seeds, each trial a link to its run. Returns in one environment have one scale. */
export function TrialTable({ experiment }: { experiment: Experiment }) {
  const { variants, seeds, cells } = experiment;
  const found = new Map(cells.map((cell) => [`${cell.variant} ${cell.seed}`, cell]));
  const openTrial = useOpenLinks();
  const scales = useMemo(() => scalesOf(variants, cells), [variants, cells]);
  return (
    <ScrollRegion label="Trials by seed" bleeds className="max-h-112">
      <table
        onClick={openTrial}
        className={clsx(
          "border-separate border-spacing-1 text-xs tabular-nums",
          seeds.length > FEW ? "w-full" : "min-w-72",
        )}
      >
        <thead className="sticky top-0 z-1 bg-surface">
          <tr className="text-ink-faint">
            <th scope="col" className="text-left font-medium">
              Variant
            </th>
            {seeds.map((seed) => (
              <th key={seed} scope="col" className="px-1 text-right font-medium whitespace-nowrap">
                seed {seed}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {variants.map(({ id, label, env_id }) => (
            <tr key={id}>
              <th
                scope="row"
                className="max-w-48 truncate pr-2 text-left font-medium"
                title={label}
              >
                {label}
              </th>
              {seeds.map((seed) => (
                <TrialCell
                  key={seed}
                  cell={found.get(`${id} ${seed}`)}
                  low={scales.get(env_id)?.low ?? 0}
                  span={scales.get(env_id)?.span ?? 0}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** The scale of the returns in each environment. */
function scalesOf(
  variants: Experiment["variants"],
  cells: Experiment["cells"],
): ReadonlyMap<string, SparklineScale> {
  const lines = new Map(variants.map(({ env_id }) => [env_id, [] as number[][]]));
  const ours = new Map(variants.map(({ id, env_id }) => [id, lines.get(env_id)]));
  for (const { variant, sparkline } of cells) ours.get(variant)?.push(sparkline);
  return new Map([...lines].map(([env, one]) => [env, sparklineScale(one)]));
}
