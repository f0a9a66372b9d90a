"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { Clapperboard } from "lucide-react";
import { useRunStill } from "@/api/choices";
import { learns } from "@/api/run-availability";
import type { Evaluation, RunDetail } from "@/api/types";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

interface NoEvaluationProps {
  run: RunDetail;
  evaluations: UseQueryResult<Evaluation[]>;
  /** Why there is nothing to evaluate yet; null when there is. */
  reason: string | null;
  underWay: boolean;
}

const STAYS_THERE =
  "Its policy stays with the program that writes this run, so it cannot be played here.";

/** The stage as long as no evaluation can be shown on it. */
export function NoEvaluation({ run, evaluations, reason, underWay }: NoEvaluationProps) {
  const { data: all, error, refetch, isFetching } = evaluations;
  const corner = useCornerWindow(false);
  const stillUrl = useRunStill(run);
  const none = all !== undefined && !underWay;
  return (
    <Stage label="Evaluation" caption="" corner={corner} stillUrl={all ? stillUrl : null}>
      {error && !all ? (
        <StageNote>
          <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
        </StageNote>
      ) : !all ? (
        <Skeleton className="absolute inset-0 rounded-none" />
      ) : (
        none && (
          <StageNote>
            <Clapperboard aria-hidden className="size-5 text-ink-faint" />
            <p className="font-semibold text-ink">
              {run.actor === "foreign" ? "No video" : "No evaluation yet"}
            </p>
            <p className="max-w-72">
              {(run.actor === "foreign" ? STAYS_THERE : reason) ??
                (learns(run)
                  ? "Run one to see what the policy does: a few episodes without exploration, on video."
                  : "Run one to see what random actions come to: a few episodes, on video.")}
            </p>
          </StageNote>
        )
      )}
    </Stage>
  );
}
