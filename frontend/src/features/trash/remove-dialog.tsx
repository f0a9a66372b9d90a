"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { type DeletedRun, emptyTrash, explainAction, keys, removeForGood } from "@/lib/api";
import { bytes, plural } from "@/lib/format";

/** The runs to remove for good; `all`: everything in the trash. */
export interface Removal {
  runs: readonly DeletedRun[];
  all: boolean;
}

interface RemoveDialogProps {
  removal: Removal;
  onClose: () => void;
  onRemoved: () => void;
}

/** Asks for confirmation, since this cannot be undone. */
export function RemoveDialog({ removal: { runs, all }, onClose, onRemoved }: RemoveDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      if (all) return emptyTrash();
      for (const { id } of runs) await removeForGood(id);
    },
    onSuccess: () => {
      onRemoved();
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: keys.trash }),
  });
  const [only] = runs;
  const what = runs.length === 1 && only ? `“${only.name}”` : plural(runs.length, "run");
  const room = bytes(runs.reduce((sum, run) => sum + run.size_bytes, 0));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={all ? "Empty the trash?" : `Remove ${what} for good?`}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            needsService
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {all ? "Empty the trash" : "Remove for good"}
          </Button>
        </>
      }
    >
      <p className="text-sm text-ink-soft">
        {all && `${what} will be removed. `}
        Curves, policies, videos and notes are gone then; this cannot be undone. It makes room of{" "}
        {room} on the disk.
      </p>
      {remove.error && (
        <div className="mt-3">
          <Notice tone="bad" role="alert" title="Not everything was removed">
            <p>{explainAction(remove.error)}</p>
          </Notice>
        </div>
      )}
    </Dialog>
  );
}
