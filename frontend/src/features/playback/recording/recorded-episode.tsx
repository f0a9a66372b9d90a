"use client";

import type { Evaluation } from "@/api/types";
import { middleOf, usePlaybackController } from "@/player/video/playback-controller";
import { useVideoTrouble } from "@/player/video/player";
import { filmOf } from "../chapters";
import { EvaluationPlayer } from "../evaluation-player";
import { StepsSection } from "../steps/steps-section";

/** Episodes that a run has recorded itself: the video, once it is made from the records, and each step. */
export function RecordedEpisode({ evaluation }: { evaluation: Evaluation }) {
  const controller = usePlaybackController(evaluation.video_url ?? "");
  const played = useVideoTrouble(evaluation.video_url);
  const film = filmOf(evaluation, played.trouble);
  const fps = film.video?.fps ?? null;
  const showStep = (episode: number, index: number) => {
    const first = evaluation.summary?.episodes[episode]?.first_frame ?? 0;
    controller.pause();
    controller.seek(middleOf(first + index, fps ?? 0));
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="w-full max-w-md">
        <EvaluationPlayer
          {...{ evaluation, film, controller }}
          from={null}
          onBroken={played.onError}
          onRetry={played.trouble === "failed" ? played.retry : null}
        />
      </div>
      <StepsSection evaluation={evaluation} onPick={fps === null ? null : showStep} />
    </div>
  );
}
