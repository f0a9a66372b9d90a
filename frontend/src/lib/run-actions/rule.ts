import { isActive, type Run, type RunStatus } from "@/lib/api";

/** What can be asked of a run. */
export type RunAction =
  "start" | "stop" | "evaluate" | "duplicate" | "compare" | "rename" | "delete" | "restore";

/** A run as far as the rule looks at it. `deleted`: it lies in the trash. */
export interface JudgedRun {
  status: RunStatus | "deleted";
  policy_step: Run["policy_step"];
}

/** Why `action` cannot be asked of a run as it is now, in a sentence; null when it can. */
export function whyNot(action: RunAction, { status, policy_step }: JudgedRun): string | null {
  if (action === "restore") return status === "deleted" ? null : "It is not in the trash.";
  if (status === "deleted") return "It is in the trash. Restore it first.";
  switch (action) {
    case "start":
      return status === "created" ? null : "It was started already.";
    case "stop":
      return whyNotStop(status);
    case "evaluate":
      return policy_step === null ? whyNoPolicy(status) : null;
    case "delete":
      return isActive({ status }) ? "Stop it first." : null;
    case "duplicate":
    case "compare":
    case "rename":
      return null;
  }
}

export function canDo(action: RunAction, run: JudgedRun): boolean {
  return whyNot(action, run) === null;
}

/** Why so many runs cannot be compared; null when they can. */
export function whyNotCompare(runs: number, most: number): string | null {
  if (runs < 2) return "Select two runs or more";
  return runs > most ? `Compare takes up to ${most} runs` : null;
}

function whyNotStop(status: RunStatus): string | null {
  if (status === "created") return "It was not started.";
  if (status === "stopping") return "It is stopping already.";
  return isActive({ status }) ? null : "It has ended.";
}

/** A run that trains can be asked for a checkpoint; before that, and after an end without one, there is none. */
function whyNoPolicy(status: RunStatus): string | null {
  switch (status) {
    case "running":
    case "stopping":
      return null;
    case "created":
      return "Start the run first: there is no policy to evaluate yet.";
    case "queued":
      return "The run waits in the queue: there is no policy yet.";
    case "starting":
      return "The run is starting: there is no policy yet.";
    default:
      return "This run ended before it saved a policy.";
  }
}
