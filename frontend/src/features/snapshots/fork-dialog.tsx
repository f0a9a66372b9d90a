"use client";

import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, environmentsQuery } from "@/api/choices";
import { isActive } from "@/api/runs";
import { forkChangesQuery } from "@/api/snapshots";
import type { Hint, RunDetail, SnapshotInfo } from "@/api/types";
import { count } from "@/lib/number";
import { Dialog } from "@/ui/dialog";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { ForkForm } from "./fork-form";
import { called } from "./snapshot-text";

interface ForkDialogProps {
  run: RunDetail;
  /** The snapshot to fork at, or a step. */
  at: SnapshotInfo | number;
  /** A change that is filled in; then the comparison with the parent is opened, and not the page of the new run. */
  tries?: Hint["changes"][number];
  onClose: () => void;
}

/** Makes a new run that goes on from a snapshot of this one, with other settings. */
export function ForkDialog({ run, at, tries, onClose }: ForkDialogProps) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const request = typeof at === "number" ? { step: at } : { snapshot: at.name };
  const changes = useQuery(forkChangesQuery(run.id, request));
  const place = changes.data?.at;
  const start = place ? { step: place.step, request } : null;
  const algorithm = algorithms.data?.find(({ id }) => id === run.algo);
  const failed = [algorithms, environments, changes].find(({ error }) => error !== null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Fork at ${typeof at === "number" ? `step ${count(at)}` : called(at)}`}
      description={`${start ? beginsAt(start.step, place?.trained_again_from ?? null) : ""} This run ${isActive(run) ? "trains on" : "stays as it is"}.`.trim()}
    >
      {failed?.error ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !algorithm || !environments.data || !changes.data || !start ? (
        <Skeleton className="h-64" />
      ) : run.config === null ? (
        <p className="text-sm text-ink-soft">The configuration of this run cannot be read.</p>
      ) : (
        <ForkForm
          run={run}
          config={run.config}
          algorithm={algorithm}
          environment={environments.data.find(({ id }) => id === run.env_id)}
          changes={changes.data}
          start={start}
          tries={tries}
        />
      )}
    </Dialog>
  );
}

/** Where the new run begins; `again` is the step from which its parent is first trained again. */
function beginsAt(step: number, again: number | null): string {
  const begins = `A new run goes on from step ${count(step)} with what you change.`;
  if (again === null) return begins;
  const from = again === 0 ? "its beginning" : `step ${count(again)}`;
  return `${begins} It first trains this run again from ${from} to there, exactly as it was.`;
}
