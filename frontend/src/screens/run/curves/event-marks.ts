"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { evaluationsQuery } from "@/api/evaluations";
import { runEventsQuery } from "@/api/run-record";
import type { Evaluation, Run, RunEvent } from "@/api/types";
import type { ChartMark, MarkKind } from "@/charts/prepare/marks";
import { count, decimal } from "@/lib/number";
import { solvedWords } from "@/lib/solved";
import type { MetricAxis } from "@/stream/series/axis";
import { type RunSeries, TrainingClock } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";

/** Events by which a person or a rule changed the course of training. */
const STEERING: readonly string[] = ["rule_fired", "rules_changed", "hyperparameter_changed"];

/** Events with which a later attempt resumed or rolled back. */
const GOING_ON: readonly string[] = ["resumed", "diverged", "rollback"];

/** The data about a run that its marks are made from. */
export interface Happened {
  run: Pick<Run, "attempts" | "solved" | "parent">;
  events: readonly RunEvent[];
  /** Evaluations that a user requested. */
  evaluations: readonly Evaluation[];
  /** Evaluations during training: positions on the axis, and mean returns. */
  periodic: readonly { at: number; mean: number }[];
}

/**
 * Marks for the chart of the return. On the episode axis only evaluations during training can be placed,
 * since for other events the number of episodes is unknown.
 */
export function eventMarks(
  { run, events, evaluations, periodic }: Happened,
  axis: MetricAxis,
): ChartMark[] {
  const clock = new TrainingClock(run.attempts);
  /** `time` in Unix seconds. */
  const place = (step: number | null, time: number | null): number[] => {
    if (axis === "step") return step === null ? [] : [step];
    if (axis === "time" && run.attempts.length > 0 && time !== null) return [clock.at(time)];
    return [];
  };
  const { solved } = run;
  const solvedAt = { step: solved?.step, time: solved?.seconds, episode: null }[axis] ?? null;
  const superseded = new Set(
    events.flatMap(({ details, superseded }) =>
      superseded && details.kind === "evaluation" ? [details.evaluation_id] : [],
    ),
  );
  const marks = [
    ...(run.parent && axis === "step" ? [run.parent.step] : []).map((at): ChartMark => ({
      ...{ id: "fork", kind: "fork", at },
      text: `Forked here: up to step ${count(at)} this is the parent's training.`,
    })),
    ...(solvedAt === null ? [] : [solvedAt]).map((at) => ({
      ...{ id: "solved", kind: "solved" as const, at },
      text: `Solved by ${solved!.by} ${solvedWords(solved!)} of training: ${decimal(solved!.threshold)} reached.`,
    })),
    ...events.flatMap((event) => {
      const kind = markOf(event);
      if (kind === null || event.superseded) return [];
      return place(event.step, event.time).map((at): ChartMark => ({
        ...{ id: `event-${event.seq}`, kind, at, text: event.message },
      }));
    }),
    ...evaluations.flatMap((evaluation) => {
      const { id, checkpoint_step: step, ended_at: ended, summary } = evaluation;
      if (!summary || superseded.has(id)) return [];
      const time = ended === null ? null : Date.parse(ended) / 1000;
      const spread = summary.episode_return;
      const text = spread
        ? `Evaluated at step ${count(step)}: return ${decimal(spread.mean)} ± ${decimal(spread.std)}.`
        : `A video of step ${count(step)}.`;
      return place(step, time).map((at): ChartMark => ({ id, kind: "evaluation", at, text }));
    }),
    ...periodic.map(({ at, mean }): ChartMark => {
      const text = `Evaluation while training: mean return ${decimal(mean)}.`;
      return { id: `periodic-${at}`, kind: "evaluation", at, text };
    }),
  ];
  return marks.filter(({ at }) => Number.isFinite(at));
}

/** The mark of an event. Only snapshots that the user requested have one: the others are taken once a minute. */
function markOf({ kind, details }: RunEvent): MarkKind | null {
  if (kind === "best" || kind === "checkpoint") return kind;
  if (STEERING.includes(kind)) return "steered";
  if (GOING_ON.includes(kind)) return "resumed";
  if (kind !== "snapshot" || details.kind !== "snapshot") return null;
  return details.trigger === "requested" ? "snapshot" : null;
}

/** A run's events as marks on its axis. */
export function useEventMarks(run: Run, series: RunSeries, axis: MetricAxis): ChartMark[] {
  const { data: events } = useQuery(runEventsQuery(run.id, run.last_event));
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const points = usePoints(series, "eval/mean_reward");
  const known = JSON.stringify({
    ...{ attempts: run.attempts, solved: run.solved, parent: run.parent },
  });
  return useMemo(() => {
    const happened = {
      run: JSON.parse(known) as Happened["run"],
      events: events?.events ?? [],
      evaluations: evaluations ?? [],
      periodic: points.map(([at, mean]) => ({ at, mean })),
    };
    return eventMarks(happened, axis);
  }, [known, events, evaluations, points, axis]);
}

/** The points of a metric that has few of them, updated live. */
function usePoints(series: RunSeries, metric: string): readonly [x: number, y: number][] {
  return useSeries(
    series,
    () => {
      const { version, x } = series.column(metric); // changes when points are added or loaded again
      return `${metric} ${series.axis} ${version} ${x[0] ?? ""}`;
    },
    () => {
      const { x, y, length } = series.column(metric);
      const points = Array.from({ length }, (_, i): [number, number] => [x[i]!, y[i]!]);
      return points.filter(([, value]) => !Number.isNaN(value));
    },
  );
}
