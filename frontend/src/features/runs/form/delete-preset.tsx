import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { deleteOwnPreset, explainAction, keys, type Preset } from "@/lib/api";

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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete the preset “${preset.title}”?`}
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
            Delete
          </Button>
        </>
      }
    >
      <p className="text-sm text-ink-soft">
        Its file goes for good, with what was measured. Runs that were made with it keep their
        values.
      </p>
      {remove.error && (
        <Notice tone="bad" role="alert" title="It was not deleted">
          <p>{explainAction(remove.error)}</p>
        </Notice>
      )}
    </Dialog>
  );
}
