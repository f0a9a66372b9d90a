"use client";

import { useQuery } from "@tanstack/react-query";
import { Clapperboard } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { type CreateEvaluation, evaluationsQuery, explainAction, type RunDetail } from "@/lib/api";
import { endedSince, isUnderWay, useEvaluate, whyNotYet } from "@/lib/evaluations";
import { EvaluateForm } from "./evaluate-form";
import { EvaluationFailure } from "./evaluation-failure";
import { EvaluationHistory } from "./evaluation-history";
import { EvaluationProgress } from "./evaluation-progress";
import { again } from "./evaluation-request";
import { EvaluationResult } from "./evaluation-result";
import { RunEpisodes } from "./judged/run-episodes";
import type { Watch } from "./judged/watch";
import { PolicyAge } from "./policy-age";

interface EvaluationCardProps {
  run: RunDetail;
  /** Stands at the end of the title line. */
  aside?: ReactNode;
}

export function EvaluationCard({ run, aside }: EvaluationCardProps) {
  const { data: all, error, refetch, isFetching } = useQuery(evaluationsQuery(run.id));
  const request = useEvaluate(run.id);
  const [chosen, setChosen] = useState<Watch | null>(null);
  const [asked, setAsked] = useState(0);

  const anchor = useRef<HTMLDivElement>(null);

  const newest = all?.[0];
  const underWay = newest && isUnderWay(newest) ? newest : null;
  const completed = all?.filter(({ status }) => status === "completed") ?? [];
  const shown = completed.find(({ id }) => id === chosen?.evaluation) ?? completed[0];
  const notYet = whyNotYet(run);

  const start = (wanted: CreateEvaluation) => {
    setChosen(null);
    request.mutate(wanted);
  };

  const show = (evaluation: string) => setChosen({ evaluation, frame: null });
  const watch = (wanted: Watch) => {
    setChosen(wanted);
    setAsked(asked + 1);
    anchor.current?.scrollIntoView({ block: "nearest" });
  };

  return (
    <Card
      title="Evaluation"
      aside={aside}
      className="@container"
      bodyClass="flex flex-col gap-4 p-4"
    >
      <EvaluateForm
        busy={request.isPending || underWay !== null}
        blocked={notYet !== null}
        primary={all?.length === 0 && notYet === null}
        run={run}
        onEvaluate={start}
      />
      {request.error && !endedSince(newest, request.submittedAt) && (
        <Notice tone="bad" role="alert" title={explainAction(request.error)} />
      )}
      {shown && notYet && <p className="text-sm text-ink-soft">{notYet}</p>}
      {underWay && <EvaluationProgress evaluation={underWay} />}
      {newest?.status === "failed" && (
        <EvaluationFailure
          evaluation={newest}
          retrying={request.isPending}
          onRetry={notYet === null ? () => start(again(newest)) : undefined}
        />
      )}
      {error && !all ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !all ? (
        <Skeleton className="aspect-3/2" />
      ) : shown ? (
        <>
          {shown === completed[0] && !underWay && <PolicyAge evaluation={shown} run={run} />}
          <div ref={anchor} className="scroll-mt-18">
            <EvaluationResult
              key={`${shown.id} ${asked}`}
              run={run}
              evaluation={shown}
              from={shown.id === chosen?.evaluation ? chosen.frame : null}
            />
          </div>
        </>
      ) : (
        !underWay && <NoneYet reason={notYet} />
      )}
      {all && all.length > 1 && (
        <EvaluationHistory evaluations={all} shown={shown?.id} onShow={show} />
      )}
      {completed.length > 0 && <RunEpisodes runId={run.id} onWatch={watch} />}
    </Card>
  );
}

function NoneYet({ reason }: { reason: string | null }) {
  return (
    <EmptyState icon={Clapperboard} title="No evaluation yet">
      {reason ??
        "Run one to see what the policy does: a few episodes without exploration, on video."}
    </EmptyState>
  );
}
