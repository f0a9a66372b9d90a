import type { Run, RunStatus } from "./types";

const ENDED: readonly RunStatus[] = ["completed", "stopped", "failed", "interrupted"];

/** Statuses in which no worker is active until a user asks for one. */
const AT_REST: readonly RunStatus[] = ["created", "paused", ...ENDED];

/** Whether a worker is active, or will be without a request. */
export function isActive({ status }: Pick<Run, "status">): boolean {
  return !AT_REST.includes(status);
}

/** Whether the run's training is over. A paused run is not: it can be continued. */
export function hasEnded({ status }: Pick<Run, "status">): boolean {
  return ENDED.includes(status);
}

/** Whether it is known how long the run will be: not with a person at the keys, and of a foreign run if it says so. */
export function hasLength(run: Pick<Run, "actor" | "end_step">): boolean {
  return run.end_step > 0 && run.actor !== "human";
}

/** Share of training that is done. `end_step` is the budget, rounded up to whole rollouts. */
export function progress(run: Pick<Run, "actor" | "step" | "end_step">): number {
  if (!hasLength(run)) return 0;
  return Math.min(1, Math.max(0, run.step / run.end_step));
}
