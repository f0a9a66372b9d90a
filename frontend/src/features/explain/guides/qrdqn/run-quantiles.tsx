"use client";

import { useQuery } from "@tanstack/react-query";
import { evaluationsQuery } from "@/api/evaluations";
import { recordsOf, stepsQuery } from "@/api/steps";
import { count } from "@/lib/number";
import { ReadingFigures } from "@/player/reading/reading-figures";
import { chosenAction } from "@/player/reading/space";
import { RunNote } from "../../picture/run-note";

/** The quantiles that a run has learned: of each action, where the episodes of its newest evaluation begin. */
export function RunQuantiles({ runId }: { runId: string }) {
  const { data: evaluations } = useQuery(evaluationsQuery(runId));
  const evaluation = evaluations?.find(({ has_steps: recorded }) => recorded);
  const { data: steps } = useQuery({
    ...stepsQuery(runId, evaluation?.id ?? "", { episode: 0, from: 0, to: 2 }),
    enabled: evaluation !== undefined,
  });
  const [first, next] = steps ? recordsOf(steps) : [];
  if (!evaluation || !steps || !first?.reading?.quantiles) return null;
  const { action } = steps.info;
  return (
    <div className="mt-4 flex flex-col gap-1">
      <ReadingFigures
        record={first}
        action={action}
        chosen={chosenAction(first, next ?? null, evaluation.deterministic, action)}
      />
      <RunNote>
        What the policy of this run, of step {count(evaluation.checkpoint_step)}, expects of each
        action where an episode begins.
      </RunNote>
    </div>
  );
}
