"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "@/api/http";
import { keys } from "@/api/keys";
import { restoreRun } from "@/api/runs";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";

interface UnknownRunsProps {
  ids: readonly string[];
  onRemove: () => void;
}

/** Ids in the address that belong to no run, with a button to restore those in the trash. */
export function UnknownRuns({ ids, onRemove }: UnknownRunsProps) {
  const { restore, busy, lost, error } = useRestore(ids);
  if (ids.length === 0) return null;
  return (
    <Notice
      tone="warn"
      role="alert"
      title={`${plural(ids.length, "run")} ${ids.length === 1 ? "does" : "do"} not exist, or not any more`}
    >
      <p className="font-mono text-xs wrap-anywhere text-ink-soft">{ids.join(", ")}</p>
      {lost && <p className="mt-1">What is gone from the trash as well cannot be restored.</p>}
      {error && <p className="mt-1 text-bad">{error}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        {!lost && (
          <Button size="sm" needsService busy={busy} onClick={() => void restore()}>
            Restore from the trash
          </Button>
        )}
        <Button size="sm" onClick={onRemove}>
          Take out of the comparison
        </Button>
      </div>
    </Notice>
  );
}

/** Restores the runs that are in the trash. */
function useRestore(ids: readonly string[]) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  /** Ids of runs that are not in the trash any more. */
  const [gone, setGone] = useState<readonly string[]>([]);
  const [error, setError] = useState<string | null>(null);
  const restore = async () => {
    setBusy(true);
    const answers = await Promise.allSettled(ids.map(restoreRun));
    const refused = answers.map((answer) => (answer.status === "rejected" ? answer.reason : null));
    const isGone = (cause: unknown) => cause instanceof ApiError && cause.isNotFound;
    setGone(ids.filter((_, i) => isGone(refused[i])));
    const failed: unknown = refused.find((cause) => cause !== null && !isGone(cause));
    setError(failed === undefined ? null : failed instanceof Error ? failed.message : "Try again.");
    await Promise.all(ids.map((id) => client.invalidateQueries({ queryKey: keys.run(id) })));
    void client.invalidateQueries({ queryKey: keys.runs });
    setBusy(false);
  };
  return { restore, busy, error, lost: ids.every((id) => gone.includes(id)) };
}
