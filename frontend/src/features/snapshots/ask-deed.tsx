"use client";

import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { explainAction, type RunDetail, type SnapshotInfo } from "@/lib/api";
import { type Deed, deedWords } from "./snapshot-words";
import { useSnapshotAction } from "./use-snapshot-actions";

interface AskDeedProps {
  run: RunDetail;
  action: Deed;
  snapshot: SnapshotInfo;
  snapshots: readonly SnapshotInfo[];
  onClose: () => void;
}

/** Says what will happen before something is done with a snapshot. */
export function AskDeed({ run, action, snapshot, snapshots, onClose }: AskDeedProps) {
  const { mutate, isPending, error } = useSnapshotAction(run.id, action, snapshot.name);
  const words = deedWords(action, snapshot, { snapshots, reached: run.step });
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
