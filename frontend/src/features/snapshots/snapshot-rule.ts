import type { RunDetail, SnapshotInfo } from "@/lib/api";
import { canDo, type JudgedRun, whyLookedAtOnly, whyNot } from "@/lib/run-actions";

/** Actions on a snapshot of a run. */
export type SnapshotAction = "resume" | "rollback" | "fork" | "delete";

/** The part of a run that decides what its snapshots are good for. */
export type SnapshotRun = JudgedRun & Pick<RunDetail, "status" | "total_timesteps" | "ended_early">;
export type JudgedSnapshot = Pick<SnapshotInfo, "step" | "whole" | "behind" | "inherited">;

/** Why no snapshot of the run can be taken now, in a sentence; null if one can. */
export function whyNotTake(run: Pick<RunDetail, "status" | "damage">): string | null {
  const { status } = run;
  const looking = whyLookedAtOnly(run);
  if (looking !== null) return looking;
  if (status === "starting" || status === "running") return null;
  if (status === "pausing" || status === "stopping") return "It is taking its last one now.";
  return "A snapshot can be taken while the run trains.";
}

/** Why `action` is not possible with this snapshot of the run, in a sentence; null if it is. */
export function whyNotWith(
  action: SnapshotAction,
  run: SnapshotRun,
  snapshot: JudgedSnapshot,
): string | null {
  const looking = whyLookedAtOnly(run);
  if (looking !== null) return looking;
  if (action === "delete") return whyNot("delete", run);
  if (action === "fork" && snapshot.inherited) return "Fork the run that it is of.";
  if (action === "fork") return snapshot.whole ? null : "It cannot be used.";
  // A run that is done has nothing left to do, unless it ended early or goes back first; one that trains goes back in
  // its worker.
  const goesBack = action === "rollback" && (canDo("extend", run) || run.status === "running");
  const isLeft = canDo("extend", run) && run.ended_early !== null;
  const reason = goesBack || isLeft ? null : whyNot("resume", run);
  if (reason !== null) return reason;
  if (!snapshot.whole) return "It cannot be used.";
  if (snapshot.behind) return "The run went back to before it.";
  return snapshot.step < run.total_timesteps ? null : "Training is done there.";
}
