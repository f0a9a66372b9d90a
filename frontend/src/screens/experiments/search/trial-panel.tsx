"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Bookmark, Dices, Eye, GitCompare } from "lucide-react";
import { useRouter } from "next/navigation";
import { type Ref, useId, useState } from "react";
import { limitsQuery, useAlgorithmName } from "@/api/choices";
import { createExperiment } from "@/api/experiments";
import { explainAction } from "@/api/http";
import type { CreateExperiment, Experiment, ExperimentCell, SearchedTrial } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { brief, decimal, plural, presetName } from "@/lib/number";
import { routes } from "@/lib/routes";
import { KeepPreset } from "@/screens/shared/keep-preset";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { parameterText } from "./trial-list";

interface TrialPanelProps {
  experiment: Experiment;
  trial: SearchedTrial;
  /** How an objective is made. */
  how: string | undefined;
  isBest: boolean;
  /** Whether no trial will be better any more. */
  isOver: boolean;
  /** Its runs, one for each seed that has started. */
  cells: readonly ExperimentCell[];
  /** Runs of the best trial, to compare with. */
  bestRuns: readonly string[];
  ref: Ref<HTMLElement>;
}

const action =
  "inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong px-2.5 text-xs font-medium hover:bg-sunken max-md:h-9";

/** One trial: its values, its result, and its actions. */
export function TrialPanel({
  experiment,
  trial,
  how,
  isBest,
  isOver,
  cells,
  bestRuns,
  ref,
}: TrialPanelProps) {
  const [keeps, setKeeps] = useState(false);
  const { number, variant, state, objective, cause, values } = trial;
  const runs = cells.flatMap(({ run_id }) => (run_id ? [run_id] : []));
  const compared = [...new Set([...runs, ...bestRuns])];
  const [first] = runs;
  return (
    <Card
      ref={ref}
      label={`Trial ${number}`}
      title={
        <>
          Trial {number}
          {isBest && ` · the best${isOver ? "" : " so far"}`}
        </>
      }
      aside={
        <span className="flex items-center gap-1 text-sm text-ink-soft tabular-nums">
          {objective === null ? state : decimal(objective)}
          {objective !== null && how && <ChartHelp title="its objective" text={how} />}
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-4 gap-y-2 text-sm">
        {Object.entries(values).map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="truncate font-mono text-2xs text-ink-faint">{name}</dt>
            <dd className="break-words tabular-nums">{parameterText(value)}</dd>
          </div>
        ))}
      </dl>
      {cause && <p className="text-sm break-words text-bad">{cause}</p>}
      <div className="flex flex-wrap items-center gap-2">
        {cells.map(
          ({ run_id, seed }) =>
            run_id && (
              <HoverLink key={seed} className={action} href={routes.run(run_id)}>
                {cells.length > 1 ? `Run of seed ${seed}` : "Open its run"}
              </HoverLink>
            ),
        )}
        {first && (
          <HoverLink className={action} href={routes.watchRun(first)}>
            <Eye aria-hidden className="size-3.5" />
            Watch
          </HoverLink>
        )}
        {compared.length > 1 && (
          <HoverLink className={action} href={routes.compareRuns(compared)}>
            <GitCompare aria-hidden className="size-3.5" />
            {isBest ? "Compare its seeds" : "Compare with the best"}
          </HoverLink>
        )}
        {state === "complete" && (
          <Button
            size="sm"
            className="max-md:h-9"
            needsService
            icon={<Bookmark aria-hidden className="size-3.5" />}
            onClick={() => setKeeps(true)}
          >
            Keep as preset
          </Button>
        )}
        {state === "complete" && <RetrainButton {...{ experiment, trial }} />}
        {runs.length === 0 && <p className="text-xs text-ink-faint">It has no run yet.</p>}
      </div>
      {keeps && (
        <KeepPreset
          experiment={experiment.id}
          variant={variant}
          what={`trial ${number}`}
          usual={`Found, trial ${number}`}
          onClose={() => setKeeps(false)}
        />
      )}
    </Card>
  );
}

interface RetrainButtonProps {
  experiment: Pick<Experiment, "specification" | "seeds" | "variants">;
  trial: SearchedTrial;
}

/** Starts the experiment that shows whether a trial was good or lucky, and opens it. */
function RetrainButton({ experiment, trial }: RetrainButtonProps) {
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
        title="Compare with the starting values, on new seeds"
        icon={<Dices aria-hidden className="size-3.5" />}
        onClick={() => begin.mutate()}
      >
        Train with {seeds} other seeds
      </Button>
      <span id={cost} className="text-xs text-ink-soft tabular-nums">
        {plural(runs, "run")}
        {each != null && `, ${brief(runs * each)} steps in total`}
      </span>
      {begin.error && (
        <div className="basis-full">
          <Notice tone="bad" role="alert" title="The comparison was not started">
            <p>{explainAction(begin.error)}</p>
          </Notice>
        </div>
      )}
    </>
  );
}

/**
 * The experiment that trains a trial again, together with the starting values of the search, with `count` seeds that
 * the search has not used: the best of many trials is partly lucky. Steps, evaluations and scores are those of the
 * search.
 */
function retraining(
  { specification, seeds }: Pick<Experiment, "specification" | "seeds">,
  { number, values }: Pick<SearchedTrial, "number" | "values">,
  count: number,
  algorithmName: (id: string) => string,
): CreateExperiment {
  const { base, score } = specification;
  const first = Math.max(...seeds, -1) + 1;
  const begun = `${algorithmName(base?.algo ?? "")} ${presetName(base?.preset ?? null)}`;
  return {
    base,
    score,
    variants: [
      { name: `Trial ${number}`, changes: { hyperparameters: values } },
      { name: begun.trim(), changes: {} },
    ],
    seeds: Array.from({ length: count }, (_, place) => first + place),
  } as CreateExperiment;
}
