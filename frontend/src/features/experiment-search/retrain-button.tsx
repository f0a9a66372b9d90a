"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Dices } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId } from "react";
import { limitsQuery, useAlgorithmName } from "@/api/choices";
import { createExperiment } from "@/api/experiments";
import { explainAction } from "@/api/http";
import type { Experiment, SearchedTrial } from "@/api/types";
import { brief, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { retraining } from "./retraining";

interface RetrainButtonProps {
  experiment: Pick<Experiment, "specification" | "seeds" | "variants">;
  trial: SearchedTrial;
}

/** Begins the experiment that shows whether a trial was good or lucky, and leads to it. */
export function RetrainButton({ experiment, trial }: RetrainButtonProps) {
  const router = useRouter();
  const cost = useId();
  const algorithmName = useAlgorithmName();
  const seeds = useQuery(limitsQuery).data?.verdict_seeds.minimum ?? 0;
  const wanted = retraining(experiment, trial, seeds, algorithmName);
  const begin = useMutation({
    mutationFn: () => createExperiment(wanted),
    onSuccess: ({ id }) => router.push(routes.experiment(id)),
  });
  if (seeds === 0) return null;
  const runs = (wanted.variants?.length ?? 0) * seeds;
  const each = experiment.variants.find(({ id }) => id === trial.variant)?.total_timesteps;
  return (
    <>
      <Button
        size="sm"
        className="max-md:h-9"
        needsService
        aria-describedby={cost}
        busy={begin.isPending}
        title="Beside what the search began from, with seeds that it has not seen"
        icon={<Dices aria-hidden className="size-3.5" />}
        onClick={() => begin.mutate()}
      >
        Train with {seeds} other seeds
      </Button>
      <span id={cost} className="text-xs text-ink-soft tabular-nums">
        {plural(runs, "run")}
        {each != null && `, ${brief(runs * each)} steps together`}
      </span>
      {begin.error && (
        <div className="basis-full">
          <Notice tone="bad" role="alert" title="That was not begun">
            <p>{explainAction(begin.error)}</p>
          </Notice>
        </div>
      )}
    </>
  );
}
