"use client";

import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import { type Hint, type RunDetail, type RunSnapshots, snapshotsQuery } from "@/lib/api";
import { ForkDialog } from "./fork-dialog";

interface TryChangeProps {
  run: RunDetail;
  hint: Hint;
  change: Hint["changes"][number];
  onClose: () => void;
}

/** Forks the run with what a hint suggests filled in, and opens the comparison of the two. */
export function TryChange({ run, hint, change, onClose }: TryChangeProps) {
  const { data, error, refetch } = useQuery(snapshotsQuery(run.id));
  const at = data && placeToTry(data, hint.from_step);
  if (at) return <ForkDialog {...{ run, at, onClose }} tries={change} />;
  return (
    <Dialog open onOpenChange={onClose} title={`Try another ${change.name}`}>
      {data ? (
        <p className="text-sm text-ink-soft">
          This run has no snapshot that a fork could begin from. Take one while it trains, or
          duplicate the run with the change.
        </p>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  );
}

/** The newest snapshot before what the hint found began; else the first one that is there. */
export function placeToTry({ snapshots }: RunSnapshots, from: number) {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return usable.findLast(({ step }) => step <= from) ?? usable[0];
}
