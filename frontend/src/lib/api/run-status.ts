import type { Run, RunStatus } from "./types";

const ACTIVE: readonly RunStatus[] = ["queued", "running", "stopping"];

/** Somebody works on it, or will without being asked again. */
export function isActive(run: Pick<Run, "status">): boolean {
  return ACTIVE.includes(run.status);
}

export function hasEnded(run: Pick<Run, "status">): boolean {
  return run.status !== "created" && !isActive(run);
}

/** Share of the way to the step at which training ends: the budget, rounded up to whole rollouts. */
export function progress(run: Pick<Run, "step" | "end_step">): number {
  if (run.end_step <= 0) return 0;
  return Math.min(1, Math.max(0, run.step / run.end_step));
}
