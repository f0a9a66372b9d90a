"use client";

import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
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
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={words.title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            needsService
            variant={action === "delete" ? "danger" : "primary"}
            busy={isPending}
            onClick={() => mutate(undefined, { onSuccess: onClose })}
          >
            {words.does}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-sm text-ink-soft">
        {words.happens.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {error && (
          <p role="alert" className="text-bad">
            {explainAction(error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
