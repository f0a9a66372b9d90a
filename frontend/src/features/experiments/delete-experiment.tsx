"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { deleteExperiment, explainAction, keys } from "@/lib/api";
import { routes } from "@/lib/url";

/** A button that deletes an experiment once that is confirmed, and leads back to the list. */
export function DeleteExperiment({ id, name }: { id: string; name: string }) {
  const router = useRouter();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteExperiment(id),
    onSuccess: () => {
      client.removeQueries({ queryKey: keys.experiment(id) });
      void client.invalidateQueries({ queryKey: keys.experiments });
      router.push(routes.experiments);
    },
  });
  return (
    <>
      <Button
        variant="quiet"
        aria-label="Delete the experiment"
        icon={<Trash2 aria-hidden className="size-3.5" />}
        onClick={() => setAsks(true)}
      />
      <Dialog
        open={asks}
        onOpenChange={setAsks}
        title={`Delete “${name}”?`}
        size="sm"
        footer={
          <>
            <Button onClick={() => setAsks(false)}>Cancel</Button>
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
          What trains is stopped. Its runs stay, as runs like any other; scores and results go.
        </p>
        {remove.error && (
          <Notice tone="bad" role="alert" title="It was not deleted">
            <p>{explainAction(remove.error)}</p>
          </Notice>
        )}
      </Dialog>
    </>
  );
}
