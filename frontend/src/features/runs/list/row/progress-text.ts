import { progress, type Run } from "@/lib/api";
import { brief, duration, elapsed, percent, remaining } from "@/lib/format";

export interface ProgressText {
  /** How far. */
  done: string;
  /** What that means for now: time left, time taken, place in the queue. */
  note: string;
}

/** How far a run is, in a few words. */
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
      return { done: "Starting…", note: `${budget} steps` };
    case "running": {
      const left = remaining(run);
      return { done: percent(progress(run)), note: left === null ? "" : `${duration(left)} left` };
    }
    case "stopping":
      return { done: percent(progress(run)), note: "saving" };
    default: {
      const short = run.step < run.end_step;
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

/** `high-score` → `High Score`; a run without a preset was made from the algorithm's defaults. */
export function presetName(preset: string | null): string {
  if (preset === null) return "Defaults";
  return preset.replace(
    /(^|-)(.)/g,
    (_, dash, letter: string) => `${dash ? " " : ""}${letter.toUpperCase()}`,
  );
}

/** `Solved at step 12.3k, after 14s of training`, as the service judged it. */
export function solvedText({ step, seconds }: NonNullable<Run["solved"]>): string {
  const after = seconds === null ? "" : `, after ${duration(seconds * 1000)} of training`;
  return `Solved at step ${brief(step)}${after}`;
}
