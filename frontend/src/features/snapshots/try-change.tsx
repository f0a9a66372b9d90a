"use client";

import { useQuery } from "@tanstack/react-query";
import { snapshotsQuery } from "@/api/snapshots";
import type { Hint, RunDetail, RunSnapshots } from "@/api/types";
import { Dialog } from "@/ui/dialog";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { ForkDialog } from "./fork-dialog";
import { TryAnew } from "./try-anew";

interface TryChangeProps {
  run: RunDetail;
  hint: Hint;
  change: Hint["changes"][number];
  onClose: () => void;
}

/**
 * Forks the run with what a hint suggests filled in, and opens the comparison of the two; where there is no snapshot to
 * fork at, a new run is compared instead. A hint that suggests a change has read the run's configuration.
 */
export function TryChange({ run, hint, change, onClose }: TryChangeProps) {
  const { data, error, refetch } = useQuery(snapshotsQuery(run.id));
  const at = data && placeToTry(data, hint.from_step);
  if (at !== undefined) return <ForkDialog {...{ run, at, onClose }} tries={change} />;
  if (data && run.config !== null) {
    return <TryAnew {...{ run, change, onClose }} config={run.config} />;
  }
  return (
    <Dialog open onOpenChange={onClose} title={`Try another ${change.name}`}>
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data ? (
        <p className="text-sm text-ink-soft">The configuration of this run cannot be read.</p>
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  );
}

/**
 * Where what the hint found began: the run is trained again to there from the newest snapshot before. Else the first
 * snapshot that is there.
 */
export function placeToTry({ snapshots }: RunSnapshots, from: number) {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return usable.some(({ step }) => step <= from) ? from : usable[0];
}
