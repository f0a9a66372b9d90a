import { canDo, type JudgedRun, whyLookedAtOnly, whyNot } from "@/api/run-availability";
import type { RunDetail, SnapshotInfo } from "@/api/types";
import { count } from "@/lib/number";

/** Why a snapshot was taken. */
export const TAKEN: Readonly<Record<SnapshotInfo["trigger"], string>> = {
  periodic: "Scheduled",
  requested: "Requested",
  best: "At a best policy",
  solved: "When it was solved",
  rule: "By a rule",
  paused: "At a pause",
  stopped: "When it was stopped",
  finished: "At the end",
};

/** How a snapshot is spoken of in a sentence. */
export function called({ name, is_named, step }: SnapshotInfo): string {
  return is_named ? `“${name}”` : `step ${count(step)}`;
}

/** Actions that are confirmed before, with a few sentences; a fork and a name have forms of their own. */
export type ConfirmedAction = Exclude<SnapshotAction, "fork" | "keep">;

interface Confirmation {
  title: string;
  /** What happens, in sentences. */
  happens: string[];
  /** The label of the button for the action. */
  does: string;
}

/** The text of a confirmation before an action on a snapshot of a run that is at step `reached`. */
export function confirmationOf(
  action: ConfirmedAction,
  snapshot: SnapshotInfo,
  { snapshots, reached }: { snapshots: readonly SnapshotInfo[]; reached: number },
): Confirmation {
  const { step, exact, not_exact_because: reason } = snapshot;
  const beyond = count(reached - step);
  const isPast = step < reached;
  const howExact = exact ? [] : [`Training does not continue exactly. ${reason ?? ""}`.trim()];
  switch (action) {
    case "resume":
      return {
        title: `Resume from ${called(snapshot)}`,
        happens: [
          isPast
            ? `Training continues from step ${count(step)}. The ${beyond} steps after it are computed again and compared with the recorded ones.`
            : `Training continues from step ${count(step)}.`,
          ...howExact,
        ],
        does: "Resume",
      };
    case "rollback":
      return {
        title: `Roll back to ${called(snapshot)}`,
        happens: [
          isPast
            ? `Training continues from step ${count(step)}. The ${beyond} steps after it stay in the run's journal, but no longer count.`
            : `Training continues from step ${count(step)}, where the run is now.`,
          ...(snapshots.some((other) => other.step > step && !other.behind)
            ? ["The run can no longer continue from snapshots of later steps."]
            : []),
          ...howExact,
        ],
        does: "Roll back",
      };
    case "delete":
      return {
        title: `Delete the snapshot ${snapshot.is_named ? "" : "of "}${called(snapshot)}`,
        happens: [
          snapshot.is_named
            ? "It has a name, so it is kept until you delete it. Deleting cannot be undone."
            : "Deleting cannot be undone.",
          ...(isLastUsable(snapshot, snapshots)
            ? ["It is the only one from which the run can be resumed."]
            : []),
        ],
        does: "Delete",
      };
  }
}

function isLastUsable(snapshot: SnapshotInfo, all: readonly SnapshotInfo[]): boolean {
  const usable = all.filter(({ whole, behind }) => whole && !behind);
  return usable.length === 1 && usable[0]?.name === snapshot.name;
}

/** Actions on a snapshot of a run. */
export type SnapshotAction = "resume" | "rollback" | "fork" | "keep" | "delete";

/** The properties of a run that decide which actions its snapshots allow. */
export type SnapshotRun = JudgedRun & Pick<RunDetail, "status" | "total_timesteps" | "ended_early">;
export type JudgedSnapshot = Pick<SnapshotInfo, "step" | "whole" | "behind" | "inherited">;

/** Why the run cannot be forked at a step, in a sentence; null if it can. */
export function whyNotForkAtStep(run: JudgedRun & Pick<RunDetail, "step">): string | null {
  const ofRun = whyNot("fork", run);
  if (ofRun !== null) return ofRun;
  return run.step > 0 ? null : "It has not begun to train.";
}

/**
 * Why `action` is not possible with this snapshot of the run, in a sentence; null if it is. `whyNot` says what the
 * state of the run allows.
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
  if (snapshot.behind) return "The run was rolled back to an earlier snapshot.";
  return snapshot.step < run.total_timesteps ? null : "Training ends at this snapshot.";
}

/** Why the snapshot cannot be named, in a sentence; null if it can. */
function whyNotKeep({ status }: SnapshotRun, { inherited, whole }: JudgedSnapshot): string | null {
  if (inherited) return "The run started from this snapshot, so it is always kept.";
  if (status === "queued" || status === "starting") return "The run may be about to start from it.";
  return whole ? null : "It cannot be used.";
}
