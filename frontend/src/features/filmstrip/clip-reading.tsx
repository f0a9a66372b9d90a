"use client";

import { explainAction } from "@/api/http";
import { useClipSteps } from "@/api/steps";
import type { Clip, RunDetail } from "@/api/types";
import { ClipSeen } from "@/components/policy-reading/seen/clip-seen";
import { ReadingAtFrame } from "@/player/reading/reading-at-frame";
import type { PlaybackController } from "@/player/video/playback-controller";

interface ClipReadingProps {
  run: RunDetail;
  clip: Clip;
  controller: PlaybackController;
}

/** What the policy made of each frame of a clip. */
export function ClipReading({ run, clip, controller }: ClipReadingProps) {
  const { data, error } = useClipSteps(clip);
  return (
    <ReadingAtFrame
      run={run}
      steps={data}
      missing={error && explainAction(error)}
      controller={controller}
      fps={clip.video?.fps ?? 0}
      firstFrame={0}
      greedy={clip.greedy}
      policyStep={clip.step}
      seen={({ frame }) => <ClipSeen clip={clip} frame={frame} onHold={controller.pause} />}
    />
  );
}
