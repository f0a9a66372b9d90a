"use client";

import type { PlaybackController } from "@/components/player";
import { ClipSeen, ReadingAtFrame } from "@/components/policy-reading";
import { type Clip, explainAction, type RunDetail, useClipSteps } from "@/lib/api";

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
