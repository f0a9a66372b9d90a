"use client";

import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import {
  algorithmsQuery,
  forkChangesQuery,
  isActive,
  type RunDetail,
  type SnapshotInfo,
} from "@/lib/api";
import { count } from "@/lib/format";
import { ForkForm } from "./fork-form";
import { called } from "./snapshot-words";

interface ForkDialogProps {
  run: RunDetail;
  snapshot: SnapshotInfo;
  onClose: () => void;
}

/** Makes a new run that goes on from a snapshot of this one, with other settings. */
export function ForkDialog({ run, snapshot, onClose }: ForkDialogProps) {
  const algorithms = useQuery(algorithmsQuery);
  const changes = useQuery(forkChangesQuery(run.id));
  const algorithm = algorithms.data?.find(({ id }) => id === run.algo);
  const failed = [algorithms, changes].find(({ error }) => error !== null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Fork at ${called(snapshot)}`}
      description={`A new run goes on from step ${count(snapshot.step)} with what you change. This run ${isActive(run) ? "trains on" : "stays as it is"}.`}
    >
      {failed?.error ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !algorithm || !changes.data ? (
        <Skeleton className="h-64" />
      ) : run.config === null ? (
        <p className="text-sm text-ink-soft">The configuration of this run cannot be read.</p>
      ) : (
        <ForkForm
          run={run}
          config={run.config}
          algorithm={algorithm}
          changes={changes.data}
          snapshot={snapshot}
        />
      )}
    </Dialog>
  );
}
