import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { isPruning, pruneStorage } from "@/api/storage";
import type { Storage } from "@/api/types";
import { bytes, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog } from "@/ui/dialog";
import { Notice } from "@/ui/notice";
import { ActionList } from "./action-list";
import { useStorageAnswer } from "./use-storage-answer";

/** Looks what the rules would do, and has them applied. */
export function PassCard({ storage }: { storage: Storage }) {
  const show = useStorageAnswer();
  const [asking, setAsking] = useState(false);
  const prune = useMutation({
    mutationFn: pruneStorage,
    onSuccess: show,
    onSettled: () => setAsking(false),
  });
  const { pruning } = storage;
  const busy = isPruning(storage) || prune.isPending;
  if (storage.rules.length === 0 && !pruning) return null;
  return (
    <Card
      title="What the rules do"
      aside={
        <span className="flex gap-2">
          <Button size="sm" needsService busy={busy} onClick={() => prune.mutate(true)}>
            Look what they would do
          </Button>
          <Button
            size="sm"
            variant="danger"
            needsService
            busy={busy}
            unavailable={storage.rules.length === 0 && "There is no rule."}
            onClick={() => setAsking(true)}
          >
            Apply now…
          </Button>
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <p role="status" className="text-sm text-ink-soft">
        {pruning ? summary(storage) : "Nobody has looked since the app was started."}
      </p>
      {(pruning?.error_message || prune.error) && (
        <Notice tone="bad" role="alert" title="That did not come to its end">
          <p>{prune.error ? explainAction(prune.error) : pruning?.error_message}</p>
        </Notice>
      )}
      {pruning && pruning.actions.length > 0 && <ActionList actions={pruning.actions} />}
      {asking && (
        <ConfirmDialog
          title="Apply the rules now?"
          action="Apply them"
          busy={prune.isPending}
          onConfirm={() => prune.mutate(false)}
          onClose={() => setAsking(false)}
        >
          <p>
            What they delete is gone for good. <em>Look what they would do</em> tells it before.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function summary({ pruning }: Storage): string {
  if (!pruning) return "";
  const { dry_run, ended_at, done, bytes: room } = pruning;
  if (!ended_at) return `${dry_run ? "Looking" : "Making room"}: ${plural(done, "thing")} so far.`;
  if (done === 0) return dry_run ? "They would find nothing to do." : "They found nothing to do.";
  const what = plural(done, "thing");
  return dry_run
    ? `They would do ${what} and make room of ${bytes(room)}, and more where they compress.`
    : `They did ${what} and made room of ${bytes(room)}.`;
}
