import { isActive } from "./runs";
import type { Run, RunDetail, RunStatus } from "./types";

/** Actions on a run. */
export type RunAction =
  | "start"
  | "pause"
  | "resume"
  | "extend"
  | "stop"
  | "snapshot"
  | "rollback"
  | "fork"
  | "evaluate"
  | "duplicate"
  | "compare"
  | "rename"
  | "delete"
  | "restore";

/** The part of a run that decides which actions are possible. `deleted`: it is in the trash. */
export interface JudgedRun {
  actor: Run["actor"];
  status: RunStatus | "deleted";
  policy_step: Run["policy_step"];
  /** Left out for a run in the trash. */
  damage?: Run["damage"];
  /** Left out where only the list of runs is known: the service refuses what may not be done. */
  standing?: RunDetail["standing"];
}

/**
 * Whether a policy learns in a run, here. Where chance or a person plays there is none, and that of a foreign run is not
 * here: no film, no hints, no updates.
 */
export function learns({ actor }: Pick<JudgedRun, "actor">): boolean {
  return actor === "policy";
}

/** What there is of a run in which something learns, and of no other. */
const TRAINING: readonly RunAction[] = [
  "pause",
  "resume",
  "extend",
  "snapshot",
  "rollback",
  "fork",
];

/** Actions that do more than view a run. */
const GOING_ON: readonly RunAction[] = ["start", "evaluate", ...TRAINING];

/** Why the user can only view a run, in a sentence: a newer version wrote it, or it is not trusted. Otherwise null. */
export function whyLookedAtOnly({
  damage,
  standing,
}: Pick<JudgedRun, "damage" | "standing">): string | null {
  if (damage?.some(({ newer }) => newer)) {
    return "A newer version of the app wrote this run: you can only view it here.";
  }
  return whyNotTrusted({ standing });
}

/** Why the code of a run is not used, in a sentence: the run was imported or copied. Null if it is the user's own, or trusted. */
export function whyNotTrusted({ standing }: Pick<JudgedRun, "standing">): string | null {
  return standing === "untrusted"
    ? "This run was imported or copied here: you can only view it until you trust it."
    : null;
}

/** Actions that are impossible if the service does not control the run: a person plays it, or an external program writes it. */
const STEERING: readonly RunAction[] = ["start", "stop", "duplicate", "evaluate"];

/** Whether the service does not control the run: a person plays it, or an external program writes it. */
export function isGuest({ actor }: Pick<JudgedRun, "actor">): boolean {
  return actor === "human" || actor === "foreign";
}

/** Why the service cannot control the run, in a sentence. */
function whyNotSteered({ actor }: Pick<JudgedRun, "actor">): string {
  if (actor === "foreign")
    return "An external program writes this run. You can watch it here, but only that program can control it.";
  if (actor === "human") return "A person plays this run: it begins and ends on the Play page.";
  return "Nothing learns in this run.";
}

/** Whether `action` makes sense in a run of its actor; one that does not is not offered. */
export function suits(action: RunAction, run: Pick<JudgedRun, "actor">): boolean {
  if (TRAINING.includes(action)) return learns(run);
  return !isGuest(run) || !STEERING.includes(action);
}

/** Why `action` is not possible for a run in its current state, in a sentence; null if it is possible. */
export function whyNot(action: RunAction, run: JudgedRun): string | null {
  return whyNotNow(action, run) ?? (GOING_ON.includes(action) ? whyLookedAtOnly(run) : null);
}

/** Whether `action` has its place beside a run, though `whyNot` may say that it is not possible. */
export function isOffered(action: RunAction, run: JudgedRun): boolean {
  return whyNotNow(action, run) === null;
}

function whyNotNow(action: RunAction, run: JudgedRun): string | null {
  const { status, policy_step } = run;
  if (action === "restore") return status === "deleted" ? null : "It is not in the trash.";
  if (status === "deleted") return "It is in the trash. Restore it first.";
  if (!suits(action, run)) {
    return run.actor === "human" && TRAINING.includes(action)
      ? "Nothing learns in this run."
      : whyNotSteered(run);
  }
  switch (action) {
    case "start":
      return status === "created" ? null : "It was started already.";
    case "pause":
      return whyNotPause(status);
    case "resume":
      return whyNotResume(status);
    case "extend":
      return status === "completed" ? null : "It has not done all of its steps yet.";
    case "stop":
      return whyNotStop(status);
    case "snapshot":
      return whyNoSnapshotNow(status);
    case "rollback":
      // A run that trains goes back in its worker, and one that is done before it goes on.
      return status === "running" || status === "completed" ? null : whyNotResume(status);
    case "evaluate":
      return learns(run) && policy_step === null ? whyNoPolicy(status) : null;
    case "delete":
      if (!isActive({ status })) return null;
      return suits("stop", run)
        ? "Stop it first."
        : run.actor === "foreign"
          ? "A program writes it. End that program first."
          : "It is being played. Leave the Play page first.";
    case "fork":
    case "duplicate":
    case "compare":
    case "rename":
      return null;
  }
}

const RESUMABLE: readonly RunStatus[] = ["paused", "stopped", "interrupted", "failed"];

export function canDo(action: RunAction, run: JudgedRun): boolean {
  return whyNot(action, run) === null;
}

/** Why this number of runs cannot be compared; null if it can. */
export function whyNotCompare(runs: number, most: number): string | null {
  if (runs < 2) return "Select two runs or more";
  return runs > most ? `Compare takes up to ${most} runs` : null;
}

function whyNotPause(status: RunStatus): string | null {
  if (status === "starting" || status === "running") return null;
  if (status === "pausing") return "It is pausing already.";
  return status === "stopping" ? "It is stopping already." : "It is not training.";
}

/** Which snapshots a run has only the service knows; if it has none, its answer says so. */
function whyNotResume(status: RunStatus): string | null {
  if (RESUMABLE.includes(status)) return null;
  if (status === "created") return "It was not started.";
  return status === "completed" ? "It has done all of its steps." : "It trains, or is about to.";
}

function whyNoSnapshotNow(status: RunStatus): string | null {
  if (status === "starting" || status === "running") return null;
  if (status === "pausing" || status === "stopping") return "It is taking its last one now.";
  return "A snapshot can be taken while the run trains.";
}

function whyNotStop(status: RunStatus): string | null {
  if (status === "created") return "It was not started.";
  if (status === "stopping") return "It is stopping already.";
  if (status === "paused") return "It is paused: nothing trains.";
  return isActive({ status }) ? null : "It has ended.";
}

/**
 * Why there is no policy. A run that trains can be asked for a checkpoint; one that has not begun, or ended
 * without one, cannot.
 */
function whyNoPolicy(status: RunStatus): string | null {
  switch (status) {
    case "running":
    case "pausing":
    case "stopping":
      return null;
    case "created":
      return "Start the run first: there is no policy to evaluate yet.";
    case "queued":
      return "The run waits in the queue: there is no policy yet.";
    case "starting":
      return "The run is starting: there is no policy yet.";
    default:
      return "This run ended before its first checkpoint.";
  }
}
