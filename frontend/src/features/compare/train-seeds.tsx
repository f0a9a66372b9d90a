"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { addSeeds, type ApiError, keys, type Run } from "@/lib/api";
import { ENOUGH_SEEDS, missingSeeds } from "./missing-seeds";

interface TrainSeedsProps {
  runs: readonly Run[];
  /** Called with the runs that were started, whether or not all could be. */
  onStarted: (ids: string[]) => void;
}

/** Trains what the compared runs lack of five seeds each, so that luck does not decide between them. */
export function TrainSeeds({ runs, onStarted }: TrainSeedsProps) {
  const client = useQueryClient();
  const missing = missingSeeds(runs);
  const total = missing.reduce((sum, { count }) => sum + count, 0);
  const train = useMutation<void, ApiError>({
    mutationFn: async () => {
      const started: string[] = [];
      try {
        for (const { runId, count } of missing) {
          const { runs: made } = await addSeeds(runId, count);
          started.push(...made.map(({ id }) => id));
        }
      } finally {
        if (started.length > 0) onStarted(started);
        void client.invalidateQueries({ queryKey: keys.runs });
      }
    },
  });
  if (total === 0) return null;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <Button size="sm" needsService busy={train.isPending} onClick={() => train.mutate()}>
        Train up to {ENOUGH_SEEDS} seeds of each ({total} {total === 1 ? "run" : "runs"})
      </Button>
      {train.error && (
        <Notice tone="bad" role="alert" title={train.error.title}>
          <p>{train.error.detail}</p>
        </Notice>
      )}
    </div>
  );
}
