"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { addSeeds, type ApiError, keys, limitsQuery, type Run } from "@/lib/api";
import { plural } from "@/lib/format";
import { missingSeeds } from "./missing-seeds";

interface TrainSeedsProps {
  runs: readonly Run[];
  /** What is said of a comparison that single seeds decide; null: there are several of each. */
  caution: string | null;
  /** Called with the runs that were started, whether or not all could be. */
  onStarted: (ids: string[]) => void;
}

/**
 * The caution that luck may decide, as a button that trains what the compared runs lack of the seeds that a verdict needs; as a
 * sentence where no other seeds can be trained.
 */
export function TrainSeeds({ runs, caution, onStarted }: TrainSeedsProps) {
  const client = useQueryClient();
  const enough = useQuery(limitsQuery).data?.verdict_seeds.minimum ?? 0;
  const missing = missingSeeds(runs, enough);
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
  if (total === 0) return caution && <p className="mt-1 text-xs text-ink-faint">{caution}</p>;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <Button
        needsService
        busy={train.isPending}
        icon={<Plus aria-hidden className="size-4 shrink-0 text-ink-faint" />}
        className="h-auto! min-h-8 max-w-full shrink! flex-wrap justify-start! gap-x-2 gap-y-0 py-1.5 text-left whitespace-normal!"
        onClick={() => train.mutate()}
      >
        {caution && <span className="font-normal text-ink-soft">{caution} </span>}
        <span className="text-accent">
          Train up to {enough} seeds of each ({plural(total, "run")})
        </span>
      </Button>
      {train.error && (
        <Notice tone="bad" role="alert" title={train.error.title}>
          <p>{train.error.detail}</p>
        </Notice>
      )}
    </div>
  );
}
