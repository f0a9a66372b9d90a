import type { Evaluation, RunDetail } from "@/lib/api";

export function isUnderWay(evaluation: Evaluation): boolean {
  return evaluation.status === "queued" || evaluation.status === "running";
}

/** Whatever stood in the way at `time` has ended: a refusal from then says nothing any more. */
export function endedSince(newest: Evaluation | undefined, time: number): boolean {
  return newest?.ended_at != null && Date.parse(newest.ended_at) >= time;
}

/** Why there is nothing to evaluate yet; null when there is. A running run is asked for a checkpoint. */
export function whyNotYet(run: RunDetail): string | null {
  if (run.policy_step !== null || run.status === "running" || run.status === "stopping") {
    return null;
  }
  if (run.status === "created") return "Start the run first: there is no policy to evaluate yet.";
  if (run.status === "queued") return "The run waits in the queue: there is no policy yet.";
  return "This run ended before it saved a policy.";
}
