"use client";

import { Play, Square, Trash2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { explainAction, isActive, type RunDetail } from "@/lib/api";
import { type DeleteRun, useRunActions } from "./use-run-actions";

export function RunActions({ run, remove }: { run: RunDetail; remove: DeleteRun }) {
  const { start, stop, error } = useRunActions(run, remove);
  const stopping = run.status === "stopping" || stop.isPending;
  return (
    <div className="flex flex-col gap-1.5 sm:items-end">
      <div className="flex flex-wrap items-center gap-2">
        {!isActive(run) && (
          <ConfirmDialog
            title="Delete this run?"
            description={`${run.name} goes for good, with its metrics, checkpoints and videos.`}
            confirm="Delete run"
            onConfirm={() => remove.mutate(run.status)}
            trigger={
              <Button
                variant="quiet"
                busy={remove.isPending || remove.isSuccess}
                icon={<Trash2 aria-hidden className="size-3.5" />}
              >
                Delete
              </Button>
            }
          />
        )}
        {isActive(run) && (
          <Button
            onClick={() => stop.mutate(run.status)}
            busy={stopping}
            icon={<Square aria-hidden className="size-3 fill-current" />}
          >
            {stopping ? "Stopping…" : "Stop"}
          </Button>
        )}
        {run.status === "created" && (
          <Button
            variant="primary"
            onClick={() => start.mutate(run.status)}
            busy={start.isPending}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Start
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className="max-w-md text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
    </div>
  );
}
