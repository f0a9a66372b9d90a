"use client";

import { explainAction } from "@/api/http";
import type { RunDetail, SnapshotInfo } from "@/api/types";
import { ConfirmDialog } from "@/ui/dialog";
import { confirmationOf, type ConfirmedAction } from "./snapshot-text";
import { useSnapshotAction } from "./use-snapshot-actions";

interface ConfirmActionProps {
  run: RunDetail;
  action: ConfirmedAction;
  snapshot: SnapshotInfo;
  snapshots: readonly SnapshotInfo[];
  onClose: () => void;
}

/** Says what will happen before something is done with a snapshot. */
export function ConfirmAction({ run, action, snapshot, snapshots, onClose }: ConfirmActionProps) {
  const { mutate, isPending, error } = useSnapshotAction(run.id, action, snapshot.name);
  const words = confirmationOf(action, snapshot, { snapshots, reached: run.step });
  return (
    <ConfirmDialog
      title={words.title}
      action={words.does}
      variant={action === "delete" ? "danger" : "primary"}
      busy={isPending}
      failure={error && explainAction(error)}
      onConfirm={() => mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {words.happens.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  );
}
