"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { hasEpisodes } from "@/api/evaluate";
import { judgementQuery } from "@/api/evaluations";
import type { Evaluation, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { count } from "@/lib/number";
import { canBeShown, choicesOf } from "@/player/side-by-side/choices";
import { middleOf, type PlaybackController } from "@/player/video/playback-controller";
import { Boundary } from "@/ui/boundary";
import type { Film } from "./chapters";
import { EvaluationSummary } from "./evaluation-summary";
import { EpisodePicks } from "./judged/episode-picks";
import { MomentList } from "./judged/moment-list";
import { StepsSection } from "./steps/steps-section";

const EvaluationReading = dynamic(
  withRetry(() => import("./evaluation-reading").then((module) => module.EvaluationReading)),
  { ssr: false },
);
const SideBySideDialog = dynamic(
  withRetry(() => import("@/player/side-by-side/side-by-side-dialog").then((module) => module.SideBySideDialog)),
  { ssr: false },
);

interface EvaluationFindingsProps {
  run: RunDetail;
  evaluation: Evaluation;
  /** All evaluations of the run that have completed, whose episodes can be put beside those of this one. */
  completed: readonly Evaluation[];
  film: Film;
  controller: PlaybackController;
}

/** What one evaluation says: key moments, which episodes to watch, what the policy made of it, figures and steps. */
export function EvaluationFindings({
  run,
  evaluation,
  completed,
  film,
  controller,
}: EvaluationFindingsProps) {
  const [pair, setPair] = useState<readonly [string, string] | null>(null);
  const { data: judgement } = useQuery({
    ...judgementQuery(evaluation.run_id, evaluation.id),
    enabled: hasEpisodes(evaluation),
  });
  const { summary } = evaluation;
  const handedOver = run.actor === "foreign";
  if (!summary) return null;
  const { chapters } = film;
  const fps = film.video?.fps ?? null;
  const playEpisode = (index: number) => {
    controller.seek(chapters[index - 1]?.start ?? 0);
    controller.play();
  };
  const showStep = (episode: number, index: number) => {
    const first = summary.episodes[episode]?.first_frame ?? 0;
    controller.pause();
    controller.seek(middleOf(first + index, fps ?? 0));
  };
  return (
    <div className="flex flex-col gap-4">
      {judgement && fps !== null && judgement.recorded && (
        <MomentList moments={judgement.moments} {...{ controller, chapters, fps }} />
      )}
      {judgement && summary.episodes.length > 1 && (
        <EpisodePicks
          judgement={judgement}
          episodes={summary.episodes}
          onPlay={fps === null ? null : playEpisode}
          onCompare={
            film.missing === null && canBeShown(evaluation)
              ? (one, two) => {
                  controller.pause();
                  setPair([`${evaluation.id} ${one}`, `${evaluation.id} ${two}`]);
                }
              : null
          }
        />
      )}
      {fps !== null && !handedOver && (
        <Boundary what="What the policy made of it">
          <EvaluationReading {...{ run, evaluation, controller }} />
        </Boundary>
      )}
      {pair && (
        <SideBySideDialog
          choices={choicesOf(completed.map((one) => ({ evaluation: one, name: nameOf(one) })))}
          first={pair}
          onClose={() => setPair(null)}
        />
      )}
      <EvaluationSummary {...{ evaluation, handedOver }} />
      {!handedOver && (
        <StepsSection evaluation={evaluation} onPick={fps === null ? null : showStep} />
      )}
    </div>
  );
}

function nameOf({ checkpoint_step: step }: Evaluation): string {
  return `Step ${count(step)}`;
}
