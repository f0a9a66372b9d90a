import type { Evaluation, PolicyChoice, Run } from "../api/types";

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
