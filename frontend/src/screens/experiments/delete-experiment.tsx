"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { deleteExperiment } from "@/api/experiments";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/dialog";

/** A button that deletes an experiment after a confirmation, and returns to the list. */
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
      {asks && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          action="Delete"
          busy={remove.isPending}
          failure={remove.error && explainAction(remove.error)}
          failureTitle="It was not deleted"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsks(false)}
        >
          <p>
            Running trials are stopped. The runs stay in the list; scores and results are deleted.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
