import { hasLength, progress } from "@/api/runs";
import type { Run } from "@/api/types";
import { duration, elapsed, remaining } from "@/lib/format-time";
import { brief, percent } from "@/lib/number";
import { solvedWords } from "@/lib/solved";

export interface ProgressText {
  /** The share or the number of steps done. */
  done: string;
  /** Time left, time taken, or place in the queue. */
  note: string;
}

/** A run's progress in a few words. */
export function progressText(run: Run): ProgressText {
  const budget = brief(run.end_step);
  switch (run.status) {
    case "created":
      return { done: "Not started", note: `${budget} steps` };
    case "queued":
      return {
        done: run.queue_position ? `Waiting, ${place(run.queue_position)}` : "Waiting",
        note: "",
      };
    case "starting":
      return { done: "Starting…", note: hasLength(run) ? `${budget} steps` : "" };
    case "running": {
      if (!hasLength(run)) {
        const note = run.actor === "human" ? "being played" : "in its own program";
        return { done: `${brief(run.step)} steps`, note };
      }
      const left = remaining(run);
      return { done: percent(progress(run)), note: left === null ? "" : `${duration(left)} left` };
    }
    case "pausing":
      return { done: percent(progress(run)), note: "pausing" };
    case "paused":
      return { done: percent(progress(run)), note: "paused" };
    case "stopping":
      return { done: percent(progress(run)), note: "saving" };
    default: {
      const short = hasLength(run) && run.step < run.end_step;
      const took = elapsed(run, 0);
      return {
        done: short ? `${brief(run.step)} of ${budget}` : `${brief(run.step)} steps`,
        note: took === null ? "" : duration(took),
      };
    }
  }
}

function place(n: number): string {
  return n === 1 ? "next" : `${n - 1} before it`;
}

/** `Solved by training at step 12,345, after 14s`, from what the service says. */
export function solvedText(solved: NonNullable<Run["solved"]>): string {
  return `Solved by ${solved.by} ${solvedWords(solved)}`;
}
