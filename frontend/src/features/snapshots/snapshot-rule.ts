import { canDo, type JudgedRun, whyLookedAtOnly, whyNot } from "@/api/run-availability";
import type { RunDetail, SnapshotInfo } from "@/api/types";

/** Actions on a snapshot of a run. */
export type SnapshotAction = "resume" | "rollback" | "fork" | "keep" | "delete";

/** The part of a run that decides what its snapshots are good for. */
export type SnapshotRun = JudgedRun & Pick<RunDetail, "status" | "total_timesteps" | "ended_early">;
export type JudgedSnapshot = Pick<SnapshotInfo, "step" | "whole" | "behind" | "inherited">;

/** Why the run cannot be forked at a step, in a sentence; null if it can. */
export function whyNotForkAtStep(run: JudgedRun & Pick<RunDetail, "step">): string | null {
  const ofRun = whyNot("fork", run);
  if (ofRun !== null) return ofRun;
  return run.step > 0 ? null : "It has not begun to train.";
}

/**
 * Why `action` is not possible with this snapshot of the run, in a sentence; null if it is. What the run itself allows
 * is said by `whyNot`.
 */
export function whyNotWith(
  action: SnapshotAction,
  run: SnapshotRun,
  snapshot: JudgedSnapshot,
): string | null {
  if (action === "delete") return whyLookedAtOnly(run) ?? whyNot("delete", run);
  if (action === "keep") return whyLookedAtOnly(run) ?? whyNotKeep(run, snapshot);
  // Of a run that ended early steps are left, so it can go on from what it has saved.
  const isLeft = action === "resume" && canDo("extend", run) && run.ended_early !== null;
  const ofRun = isLeft ? null : whyNot(action, run);
  if (ofRun !== null) return ofRun;
  if (!snapshot.whole) return "It cannot be used.";
  if (action === "fork") return null;
  if (snapshot.behind) return "The run went back to before it.";
  return snapshot.step < run.total_timesteps ? null : "Training is done there.";
}

/** Why the snapshot cannot be given a name by which it is kept, in a sentence; null if it can. */
function whyNotKeep({ status }: SnapshotRun, { inherited, whole }: JudgedSnapshot): string | null {
  if (inherited) return "The run began with it: it stays.";
  if (status === "queued" || status === "starting") return "The run may be about to begin from it.";
  return whole ? null : "It cannot be used.";
}
