import type { ChartMark, MarkKind } from "@/components/charts";
import type { Evaluation, Run, RunEvent } from "@/lib/api";
import { count, decimal } from "@/lib/format";
import type { MetricAxis } from "@/lib/stream";

/** Events by which a person or a rule changed the course of training. */
const STEERING: readonly string[] = ["rule_fired", "rules_changed", "hyperparameter_changed"];

/** What is known of a run's events. */
export interface Happened {
  run: Pick<Run, "started_at" | "solved">;
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
      const kind = markOf(event);
      if (kind === null) return [];
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

/** Of snapshots only those that somebody asked for: the others come once a minute. */
function markOf({ kind, details }: RunEvent): MarkKind | null {
  if (kind === "best" || kind === "checkpoint") return kind;
  if (STEERING.includes(kind)) return "steered";
  if (kind !== "snapshot" || details.kind !== "snapshot") return null;
  return details.trigger === "requested" ? "snapshot" : null;
}
