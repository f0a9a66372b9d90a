"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { emptyTrash, removeForGood } from "@/api/runs";
import type { DeletedRun } from "@/api/types";
import { bytes, plural } from "@/lib/number";
import { ConfirmDialog } from "@/ui/dialog";

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
    <ConfirmDialog
      title={all ? "Empty the trash?" : `Remove ${what} for good?`}
      action={all ? "Empty the trash" : "Remove for good"}
      busy={remove.isPending}
      failure={remove.error && explainAction(remove.error)}
      failureTitle="Not everything was removed"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        {all && `${what} will be removed. `}
        Curves, policies, videos and notes are gone then; this cannot be undone. It makes room of{" "}
        {room} on the disk.
      </p>
    </ConfirmDialog>
  );
}
