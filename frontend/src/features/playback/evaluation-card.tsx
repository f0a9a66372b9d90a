"use client";

import { useQuery } from "@tanstack/react-query";
import { Clapperboard } from "lucide-react";
import { useState } from "react";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { evaluationsQuery, explainAction, type RunDetail } from "@/lib/api";
import { EarlierEvaluations } from "./earlier-evaluations";
import { EvaluateForm } from "./evaluate-form";
import { EvaluationProgress } from "./evaluation-progress";
import { EvaluationResult } from "./evaluation-result";
import { endedSince, isUnderWay, whyNotYet } from "./readiness";
import { useEvaluate } from "./use-evaluate";

export function EvaluationCard({ run }: { run: RunDetail }) {
  const { data: all, error, refetch, isFetching } = useQuery(evaluationsQuery(run.id));
  const request = useEvaluate(run.id);
  const [chosen, setChosen] = useState<string | null>(null);

  const newest = all?.[0];
  const underWay = newest && isUnderWay(newest) ? newest : null;
  const completed = all?.filter(({ status }) => status === "completed") ?? [];
  const shown = completed.find(({ id }) => id === chosen) ?? completed[0];
  const notYet = whyNotYet(run);

  const start = (episodes: number) => {
    setChosen(null);
    request.mutate(episodes);
  };

  return (
    <Card
      title="Evaluation"
      bodyClass="flex flex-col gap-4 p-4"
      aside={
        <EvaluateForm
          busy={request.isPending || underWay !== null}
          blocked={notYet !== null}
          primary={all?.length === 0 && notYet === null}
          onEvaluate={start}
        />
      }
    >
      {request.error && !endedSince(newest, request.submittedAt) && (
        <Notice tone="bad" role="alert" title={explainAction(request.error)} />
      )}
      {shown && notYet && <p className="text-sm text-ink-soft">{notYet}</p>}
      {underWay && <EvaluationProgress evaluation={underWay} />}
      {newest?.status === "failed" && (
        <Notice tone="bad" role="alert" title="The evaluation failed">
          <p className="break-words text-ink-soft">{newest.cause}</p>
        </Notice>
      )}
      {error && !all ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !all ? (
        <Skeleton className="aspect-3/2" />
      ) : shown ? (
        <EvaluationResult key={shown.id} evaluation={shown} />
      ) : (
        !underWay && <NoneYet reason={notYet} />
      )}
      {all && all.length > 1 && (
        <EarlierEvaluations evaluations={all} shown={shown?.id} onShow={setChosen} />
      )}
    </Card>
  );
}

function NoneYet({ reason }: { reason: string | null }) {
  return (
    <EmptyState icon={Clapperboard} title="No evaluation yet">
      {reason ??
        "Run one to see what the newest policy does: a few episodes without exploration, on video."}
    </EmptyState>
  );
}
