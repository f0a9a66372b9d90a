"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useLimits } from "@/api/choices";
import { type ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { whyNotCompare } from "@/api/run-availability";
import { addSeeds, groupRunsQuery, MOST_GROUPS } from "@/api/runs";
import type { Run } from "@/api/types";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { groupsOfFewSeeds, moreSeeds, type MoreSeeds } from "./more-seeds";

interface SeedsButtonProps {
  /** The compared runs that are loaded. */
  runs: readonly Run[];
  /** Ids of all that are to be compared. */
  chosen: readonly string[];
  /** The caution about comparisons of single seeds; null: each group has several seeds. */
  caution: string | null;
  /** Called with runs to compare as well. */
  onAdd: (ids: readonly string[]) => void;
}

/** Runs when the button is pressed. */
interface Step {
  label: string;
  press: () => void;
  busy?: boolean;
  unavailable?: string | null;
}

/**
 * The caution that luck may decide, as a button: it adds the existing seeds of the compared groups, and then trains the
 * seeds that a verdict still needs. A sentence instead if there is nothing to add or to train.
 */
export function SeedsButton({ runs, chosen, caution, onAdd }: SeedsButtonProps) {
  const limits = useLimits();
  const enough = limits?.verdict_seeds.minimum ?? 0;
  const most = limits?.compared_runs.maximum ?? Infinity;
  const few = groupsOfFewSeeds(runs, enough).slice(0, MOST_GROUPS);
  const groups = useQuery(groupRunsQuery(...few.map(({ groupId }) => groupId)));
  const train = useTraining(onAdd);

  const isUnknown = few.length > 0 && !groups.data;
  const error = isUnknown ? groups.error : null;
  const found = groups.data?.runs ?? [];
  const { there, lacking } = moreSeeds(few, found, { chosen, enough, most });
  const total = lacking.reduce((sum, { count }) => sum + count, 0);
  const step = ((): Step | null => {
    if (error) {
      return {
        label: "Look for other seeds again",
        press: () => void groups.refetch(),
        busy: groups.isFetching,
      };
    }
    if (isUnknown) {
      return { label: "Looking for other seeds", press: () => undefined, busy: true };
    }
    if (there.length > 0) {
      const seeds = plural(there.length, "existing seed");
      return { label: `Add ${seeds}`, press: () => onAdd(there) };
    }
    if (total === 0) return null;
    return {
      label: `Train ${plural(total, "more seed")}, up to ${enough} of each`,
      press: () => train.mutate(lacking),
      busy: train.isPending,
      unavailable: whyNotCompare(chosen.length + total, most),
    };
  })();

  if (!step) return caution && <p className="mt-1 text-xs text-ink-faint">{caution}</p>;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <Button
        needsService
        busy={step.busy}
        unavailable={step.unavailable}
        icon={<Plus aria-hidden className="size-4 shrink-0 text-ink-faint" />}
        className="h-auto! min-h-8 max-w-full shrink! justify-start! gap-2 py-1.5 text-left whitespace-normal!"
        // The second click of a double click would train where the first has added.
        onClick={({ detail }) => detail < 2 && step.press()}
      >
        <span>
          {caution && <span className="font-normal text-ink-soft">{caution} </span>}
          <span className="text-accent">{step.label}</span>
        </span>
      </Button>
      {error && <Problem title="The other seeds could not be looked up" error={error} />}
      {train.error && <Problem title="Not all seeds were started" error={train.error} />}
    </div>
  );
}

function Problem({ title, error }: { title: string; error: Error }) {
  return (
    <Notice tone="bad" role="alert" title={title}>
      <p>{explainAction(error)}</p>
    </Notice>
  );
}

function useTraining(onStarted: (ids: readonly string[]) => void) {
  const client = useQueryClient();
  return useMutation<void, ApiError, MoreSeeds["lacking"]>({
    mutationFn: async (lacking) => {
      const started: string[] = [];
      try {
        for (const { runId, count } of lacking) {
          const { runs } = await addSeeds(runId, count);
          started.push(...runs.map(({ id }) => id));
        }
      } finally {
        if (started.length > 0) onStarted(started);
        // Busy until they are known, so that nothing can start them twice.
        await client.invalidateQueries({ queryKey: keys.runs });
      }
    },
  });
}
