"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { evaluationPictures, saliencyQuery } from "@/api/policy-pictures";
import { useEvaluationSteps } from "@/api/steps";
import type { Evaluation, RunDetail } from "@/api/types";
import { bytes } from "@/lib/number";
import { KeptSeen } from "@/player/reading/kept-seen";
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

/** The output of the policy for each frame of the video; the records are requested when it is opened. */
export function EvaluationReading(props: EvaluationReadingProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      summary="Policy output"
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

interface EvaluationSeenProps {
  evaluation: Evaluation;
  /** Of the video, from 0. */
  frame: number;
  /** The position: an episode, from 0, and a step of it. */
  episode: number;
  index: number;
  /** Holds the video at this step. */
  onHold: () => void;
}

/** The images that the agent saw in a frame of an evaluation, with saliency. */
function EvaluationSeen({ evaluation, frame, episode, index, onHold }: EvaluationSeenProps) {
  const [asked, setAsked] = useState<{ episode: number; index: number } | null>(null);
  const wanted = asked?.episode === episode && asked.index === index;
  const stack = useQuery({
    ...saliencyQuery(evaluation.run_id, evaluation.id, { episode, step: index }),
    enabled: wanted,
  });
  const { policy_bytes: policy } = evaluation;
  return (
    <KeptSeen
      kept={evaluationPictures(evaluation)}
      frame={frame}
      stack={wanted ? stack : null}
      onAsk={() => {
        onHold();
        setAsked({ episode, index });
      }}
      canAsk={policy !== null}
      note={
        policy === null
          ? "Saliency needs the policy that played. The app keeps it together with the videos of the newest evaluations."
          : `The policy that played is kept for this, ${bytes(policy)}.`
      }
    >
      {evaluation.has_pictures
        ? "Reading…"
        : "The agent's images were not recorded, or were deleted to make room for newer evaluations. You can replay a single step to see its image."}
    </KeptSeen>
  );
}
