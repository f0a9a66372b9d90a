import type { Run, RunStatus } from "./types";

const ENDED: readonly RunStatus[] = ["completed", "stopped", "failed", "interrupted"];

/** Somebody works on it, or will without being asked again. */
export function isActive(run: Pick<Run, "status">): boolean {
  return run.status !== "created" && !hasEnded(run);
}

export function hasEnded({ status }: Pick<Run, "status">): boolean {
  return ENDED.includes(status);
}

/** Share of the way to the step at which training ends: the budget, rounded up to whole rollouts. */
export function progress(run: Pick<Run, "step" | "end_step">): number {
  if (run.end_step <= 0) return 0;
  return Math.min(1, Math.max(0, run.step / run.end_step));
}
