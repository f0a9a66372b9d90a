"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { clipPictures, clipSaliencyQuery } from "@/api/policy-pictures";
import { useClipSteps } from "@/api/steps";
import type { Clip, RunDetail } from "@/api/types";
import { KeptSeen } from "@/player/reading/kept-seen";
import { ReadingAtFrame } from "@/player/reading/reading-at-frame";
import type { PlaybackController } from "@/player/video/playback-controller";

interface ClipReadingProps {
  run: RunDetail;
  clip: Clip;
  controller: PlaybackController;
}

/** The policy's output for each frame of a clip. */
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

interface ClipSeenProps {
  clip: Clip;
  /** Of the video, from 0: that of step n is the n-th. */
  frame: number;
  /** Holds the video at this step. */
  onHold: () => void;
}

/** The images that the agent saw in a frame of a clip, with saliency. */
function ClipSeen({ clip, frame, onHold }: ClipSeenProps) {
  const [asked, setAsked] = useState<{ clip: string; frame: number } | null>(null);
  const wanted = asked?.clip === clip.id && asked.frame === frame;
  const stack = useQuery({ ...clipSaliencyQuery(clip, frame), enabled: wanted });
  return (
    <KeptSeen
      kept={clipPictures(clip)}
      frame={frame}
      stack={wanted ? stack : null}
      onAsk={() => {
        onHold();
        setAsked({ clip: clip.id, frame });
      }}
      canAsk
    >
      {!clip.pictures
        ? "The agent's images were not stored when this clip was made."
        : frame >= clip.pictures.pictures
          ? "The agent's images are stored only for the first part of this clip."
          : "Reading…"}
    </KeptSeen>
  );
}
