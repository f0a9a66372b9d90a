"use client";

import { useMutation } from "@tanstack/react-query";
import { useRunActions } from "./run-actions";
import { whyNot } from "./run-availability";
import type { CreateEvaluation, Evaluation, PolicyChoice, Run } from "./types";

export function isUnderWay(evaluation: Evaluation): boolean {
  return evaluation.status === "queued" || evaluation.status === "running";
}

/**
 * Whether the results of its episodes are known: a video of the user's own program has results only if the program gave
 * them.
 */
export function hasEpisodes({ summary }: Pick<Evaluation, "summary">): boolean {
  return (summary?.episodes.length ?? 0) > 0;
}

/** Whether the newest evaluation ended after `time`, so that a refusal from that time is out of date. */
export function endedSince(newest: Evaluation | undefined, time: number): boolean {
  return newest?.ended_at != null && Date.parse(newest.ended_at) >= time;
}

/** Why there is no policy to evaluate yet; null if there is one. (A running run is asked for a checkpoint.) */
export function whyNotYet(run: Run): string | null {
  return whyNot("evaluate", run);
}

/** Why an evaluation has no video; null if it has one. */
export function whyNoVideo({ status, summary, video_url: url }: Evaluation): string | null {
  if (status !== "completed" || summary === null) return "No video";
  if (summary.video === null) return "Recorded without a video";
  return url === null ? "Its video is not kept" : null;
}

/** The policy that is evaluated by default: the best one, if the run keeps it. */
export function usualPolicy(run: Pick<Run, "best_policy">): PolicyChoice {
  return run.best_policy ? "best" : "latest";
}

/** Environment steps between the evaluated policy and the newest of its kind; null if it still is the newest. */
export function stepsBehind(evaluation: Evaluation, run: Run): number | null {
  const now = evaluation.policy === "best" ? (run.best_policy?.step ?? null) : run.policy_step;
  const then = evaluation.checkpoint_step;
  return now !== null && then !== null && now > then ? now - then : null;
}

/** A mutation that starts an evaluation, for places that show its progress and errors themselves. */
export function useEvaluate(runId: string) {
  const { evaluate } = useRunActions();
  return useMutation({ mutationFn: (wanted: CreateEvaluation) => evaluate(runId, wanted) });
}
