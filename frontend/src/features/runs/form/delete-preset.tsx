import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteOwnPreset } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { Preset } from "@/api/types";
import { ConfirmDialog } from "@/ui/dialog";

interface DeletePresetProps {
  preset: Preset;
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes a preset of the user's own once that is confirmed. */
export function DeletePreset({ preset, onDeleted, onClose }: DeletePresetProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteOwnPreset(preset.id),
    onSuccess: () => {
      onDeleted();
      onClose();
      void client.invalidateQueries({ queryKey: keys.environments });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete the preset “${preset.title}”?`}
      action="Delete"
      busy={remove.isPending}
      failure={remove.error && explainAction(remove.error)}
      failureTitle="It was not deleted"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        Its file goes for good, with what was measured. Runs that were made with it keep their
        values.
      </p>
    </ConfirmDialog>
  );
}
