"use client";

import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { trashQuery } from "@/api/runs";
import type { DeletedRun } from "@/api/types";
import { useNow } from "@/lib/time";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import { DeletedRunRow } from "./deleted-run-row";
import { type Removal, RemoveDialog } from "./remove-dialog";
import { TrashToolbar } from "./trash-toolbar";

/** The Trash page: deleted runs can be restored, or removed for good. */
export function Trash() {
  const router = useRouter();
  const now = useNow("minute");
  const { data, error, refetch, isFetching } = useQuery(trashQuery);
  const { restore } = useRunActionsWithToasts(router.push);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [removal, setRemoval] = useState<Removal | null>(null);
  const [restoring, setRestoring] = useState<ReadonlySet<string>>(new Set());

  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <TrashSkeleton />;
  }
  if (data.runs.length === 0) {
    return (
      <EmptyState icon={Trash2} title="The trash is empty">
        A run that you delete stays here for some days, from where it can be brought back with all
        it had.
      </EmptyState>
    );
  }

  const chosen = data.runs.filter(({ id }) => picked.has(id));
  const bringBack = async (runs: readonly DeletedRun[]) => {
    setRestoring(new Set(runs.map(({ id }) => id)));
    await restore(runs);
    setRestoring(new Set());
    setPicked(new Set());
  };
  const toggle = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  return (
    <>
      <TrashToolbar
        trash={data}
        chosen={chosen}
        busy={restoring.size > 0}
        onPickAll={(all) => setPicked(new Set(all ? data.runs.map(({ id }) => id) : []))}
        onRestore={() => void bringBack(chosen)}
        onRemove={() => setRemoval({ runs: chosen, all: false })}
        onEmpty={() => setRemoval({ runs: data.runs, all: true })}
      />
      <ul
        aria-label="Deleted runs"
        className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface shadow-card max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
      >
        {data.runs.map((run) => (
          <DeletedRunRow
            key={run.id}
            run={run}
            now={now}
            picked={picked.has(run.id)}
            restoring={restoring.has(run.id)}
            onPick={() => toggle(run.id)}
            onRestore={() => void bringBack([run])}
            onRemove={() => setRemoval({ runs: [run], all: false })}
          />
        ))}
      </ul>
      {removal && (
        <RemoveDialog
          removal={removal}
          onClose={() => setRemoval(null)}
          onRemoved={() => setPicked(new Set())}
        />
      )}
    </>
  );
}

function TrashSkeleton() {
  return (
    <div role="status" aria-label="Loading the trash" className="flex flex-col gap-3">
      <Skeleton className="h-8 max-md:h-10" />
      <Skeleton className="h-72" />
    </div>
  );
}
