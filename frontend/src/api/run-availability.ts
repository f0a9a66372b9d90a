import { RUN_ACTIONS } from "./run-action-table";
import type { Run, RunDetail, RunStatus } from "./types";

/** Actions on a run. Which are possible, and why others are not, is in `backend/rlviz/domain/run_actions.py`. */
export type RunAction = (typeof RUN_ACTIONS.actions)[number];

/** The part of a run that decides which actions are possible. `deleted`: it is in the trash. */
export interface JudgedRun {
  actor: Run["actor"];
  status: RunStatus | "deleted";
  policy_step: Run["policy_step"];
  /** Left out for a run in the trash. */
  damage?: Run["damage"];
  /** Left out if only the list entry of the run is known: the service then refuses actions that are not allowed. */
  standing?: RunDetail["standing"];
}

/**
 * Whether a policy learns in a run, here. Where chance or a person plays there is none, and that of a foreign run is not
 * here: no film, no hints, no updates.
 */
export function learns({ actor }: Pick<JudgedRun, "actor">): boolean {
  return actor === "policy";
}

/** Why the user can only view a run, in a sentence: a newer version wrote it, or it is not trusted. Otherwise null. */
export function whyLookedAtOnly({
  damage,
  standing,
}: Pick<JudgedRun, "damage" | "standing">): string | null {
  if (damage?.some(({ newer }) => newer)) {
    return RUN_ACTIONS.look_only.newer;
  }
  return whyNotTrusted({ standing });
}

/** Why the policies and code of a run are not used, in a sentence; null if it is the user's own, or trusted. */
export function whyNotTrusted({ standing }: Pick<JudgedRun, "standing">): string | null {
  return standing === "untrusted" ? RUN_ACTIONS.look_only.untrusted : null;
}

/** Whether the service does not control the run: a person plays it, or an external program writes it. */
export function isGuest({ actor }: Pick<JudgedRun, "actor">): boolean {
  return actor === "human" || actor === "foreign";
}

/** Whether `action` makes sense for the actor of a run; otherwise it is not offered. */
export function suits(action: RunAction, run: Pick<JudgedRun, "actor">): boolean {
  return !includes(RUN_ACTIONS.unsuited[run.actor], action);
}

/** Why `action` is not possible for a run in its current state, in a sentence; null if it is possible. */
export function whyNot(action: RunAction, run: JudgedRun): string | null {
  return (
    whyNotNow(action, run) ??
    (includes(RUN_ACTIONS.look_only.actions, action) ? whyLookedAtOnly(run) : null)
  );
}

/** Whether `action` is offered for a run, although `whyNot` may say that it is not possible now. */
export function isOffered(action: RunAction, run: JudgedRun): boolean {
  return whyNotNow(action, run) === null;
}

function whyNotNow(action: RunAction, { actor, status, policy_step }: JudgedRun): string | null {
  const hasNoPolicy = action === "evaluate" && policy_step === null;
  const reasons: Partial<Record<string, number>> = hasNoPolicy
    ? RUN_ACTIONS.without_policy[actor]
    : RUN_ACTIONS.reasons[actor][status];
  const reason = reasons[hasNoPolicy ? status : action];
  return reason === undefined ? null : RUN_ACTIONS.sentences[reason]!;
}

function includes(actions: readonly string[], action: RunAction): boolean {
  return actions.includes(action);
}

export function canDo(action: RunAction, run: JudgedRun): boolean {
  return whyNot(action, run) === null;
}

/** Why this number of runs cannot be compared; null if it can. */
export function whyNotCompare(runs: number, most: number): string | null {
  if (runs < 2) return "Select two runs or more";
  return runs > most ? `Compare takes up to ${most} runs` : null;
}
