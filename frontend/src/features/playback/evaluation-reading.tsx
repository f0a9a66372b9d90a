"use client";

import { useState } from "react";
import { useEvaluationSteps } from "@/api/steps";
import type { Evaluation, RunDetail } from "@/api/types";
import { EvaluationSeen } from "@/components/policy-reading/seen/evaluation-seen";
import { ReadingAtFrame } from "@/player/reading/reading-at-frame";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { chapterAt } from "@/player/video/shortcuts";
import { Disclosure } from "@/ui/disclosure";
import { chaptersOf } from "./chapters";

interface EvaluationReadingProps {
  run: RunDetail;
  evaluation: Evaluation;
  controller: PlaybackController;
}

/** What the policy made of each frame of the video; the records are asked for once somebody opens it. */
export function EvaluationReading(props: EvaluationReadingProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      summary="What the policy makes of it"
      open={open}
      onToggle={setOpen}
      className="border-t border-line pt-2"
    >
      {open && (
        <div className="pt-2">
          <OfTheEpisode {...props} />
        </div>
      )}
    </Disclosure>
  );
}

function OfTheEpisode({ run, evaluation, controller }: EvaluationReadingProps) {
  const episodes = evaluation.summary?.episodes ?? [];
  const fps = evaluation.summary?.video?.fps ?? 0;
  const chapters = chaptersOf(episodes, fps);
  const place = usePlaybackTime(controller, (time) => chapterAt(chapters, time));
  const { data, error } = useEvaluationSteps(run.id, evaluation.id, place < 0 ? null : place);
  return (
    <ReadingAtFrame
      run={run}
      steps={data}
      missing={error && "This evaluation has no step records."}
      controller={controller}
      fps={fps}
      firstFrame={episodes[place]?.first_frame ?? 0}
      greedy={evaluation.deterministic}
      seen={({ frame, record }) => (
        <EvaluationSeen
          evaluation={evaluation}
          frame={frame}
          episode={record.episode}
          index={record.index}
          onHold={controller.pause}
        />
      )}
      policyStep={evaluation.checkpoint_step}
    />
  );
}
