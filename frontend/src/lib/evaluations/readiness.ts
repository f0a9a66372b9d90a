import type { Evaluation, PolicyChoice, Run } from "@/lib/api";
import { whyNot } from "@/lib/run-actions";

export function isUnderWay(evaluation: Evaluation): boolean {
  return evaluation.status === "queued" || evaluation.status === "running";
}

/** Whatever stood in the way at `time` has ended: a refusal from then says nothing any more. */
export function endedSince(newest: Evaluation | undefined, time: number): boolean {
  return newest?.ended_at != null && Date.parse(newest.ended_at) >= time;
}

/** Why there is nothing to evaluate yet; null when there is. A running run is asked for a checkpoint. */
export function whyNotYet(run: Run): string | null {
  return whyNot("evaluate", run);
}

/** Why there is no video to play, in words; null when there is one. */
export function whyNoVideo({ status, summary, video_url: url }: Evaluation): string | null {
  if (status !== "completed" || summary === null) return "No video";
  if (summary.video === null) return "Recorded without a video";
  return url === null ? "Video retired: only the newest ones are kept" : null;
}

/** The policy that an evaluation plays unless told otherwise: the best, where the run keeps one. */
export function usualPolicy(run: Pick<Run, "best_policy">): PolicyChoice {
  return run.best_policy ? "best" : "latest";
}

/** Steps that the policy of its kind has moved on since it was evaluated; null if it is the same still. */
export function stepsBehind(evaluation: Evaluation, run: Run): number | null {
  const now = evaluation.policy === "best" ? (run.best_policy?.step ?? null) : run.policy_step;
  const then = evaluation.checkpoint_step;
  return now !== null && then !== null && now > then ? now - then : null;
}
