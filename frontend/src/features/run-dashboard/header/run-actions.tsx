"use client";

import { Play, Square, Trash2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { isActive, type RunDetail } from "@/lib/api";
import { useRunActions } from "./use-run-actions";
import { whyNoStop } from "./why-no-stop";

export function RunActions({ run }: { run: RunDetail }) {
  const { start, stop, remove, error } = useRunActions(run);
  const stopping = run.status === "stopping" || stop.isPending;
  const noStop = whyNoStop(run);
  return (
    <div className="flex flex-col gap-1.5 sm:items-end">
      <div className="flex flex-wrap items-center gap-2">
        {!isActive(run) && (
          <ConfirmDialog
            title="Delete this run?"
            description={`${run.name} goes for good, with its metrics, checkpoints and videos.`}
            confirm="Delete run"
            onConfirm={() => remove.mutate()}
            trigger={
              <Button
                variant="danger"
                busy={remove.isPending || remove.isSuccess}
                icon={<Trash2 aria-hidden className="size-3.5" />}
              >
                Delete
              </Button>
            }
          />
        )}
        <Button
          onClick={() => stop.mutate()}
          busy={stopping}
          disabled={noStop !== null}
          title={noStop ?? undefined}
          icon={<Square aria-hidden className="size-3 fill-current" />}
        >
          {stopping ? "Stopping…" : "Stop"}
        </Button>
        {run.status === "created" && (
          <Button
            variant="primary"
            onClick={() => start.mutate()}
            busy={start.isPending}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Start
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className="text-xs text-bad">
          {error.message}
        </p>
      )}
    </div>
  );
}
