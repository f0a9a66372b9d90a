import type { ChartMark } from "@/components/charts";
import type { Evaluation, Run, RunEvent } from "@/lib/api";
import { count, decimal } from "@/lib/format";
import type { MetricAxis } from "@/lib/stream";

/** What is known of what happened to a run. */
export interface Happened {
  run: Pick<Run, "started_at" | "solved">;
  events: readonly RunEvent[];
  /** Those that somebody asked for. */
  evaluations: readonly Evaluation[];
  /** Those that were part of training: places on the axis, and mean returns. */
  periodic: readonly { at: number; mean: number }[];
}

/**
 * The marks on the axis of the return. Along episodes only the evaluations of the training have a place, as nothing else
 * says how many episodes had ended.
 */
export function eventMarks(
  { run, events, evaluations, periodic }: Happened,
  axis: MetricAxis,
): ChartMark[] {
  const start = run.started_at === null ? null : Date.parse(run.started_at) / 1000;
  /** `time` in Unix seconds. */
  const place = (step: number | null, time: number | null): number[] => {
    if (axis === "step") return step === null ? [] : [step];
    if (axis === "time" && start !== null && time !== null) return [Math.max(0, time - start)];
    return [];
  };
  const { solved } = run;
  const solvedAt = solved && start !== null ? start + (solved.seconds ?? Number.NaN) : null;
  const marks = [
    ...(solved ? place(solved.step, solvedAt) : []).map((at) => ({
      ...{ id: "solved", kind: "solved" as const, at },
      text: `Solved by ${solved!.by} at step ${count(solved!.step)}: ${decimal(solved!.threshold)} reached.`,
    })),
    ...events.flatMap((event) => {
      const { kind } = event;
      if (kind !== "best" && kind !== "checkpoint") return [];
      return place(event.step, event.time).map((at): ChartMark => ({
        ...{ id: `event-${event.seq}`, kind, at, text: event.message },
      }));
    }),
    ...evaluations.flatMap((evaluation) => {
      const { id, checkpoint_step: step, ended_at: ended, summary } = evaluation;
      if (!summary) return [];
      const time = ended === null ? null : Date.parse(ended) / 1000;
      const { mean, std } = summary.episode_return;
      const text = `Evaluated at step ${count(step)}: return ${decimal(mean)} ± ${decimal(std)}.`;
      return place(step, time).map((at): ChartMark => ({ id, kind: "evaluation", at, text }));
    }),
    ...periodic.map(({ at, mean }): ChartMark => {
      const text = `Greedy evaluation while training: mean return ${decimal(mean)}.`;
      return { id: `periodic-${at}`, kind: "evaluation", at, text };
    }),
  ];
  return marks.filter(({ at }) => Number.isFinite(at));
}
