"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clipPictures, clipSaliencyQuery } from "@/api/policy-pictures";
import type { Clip } from "@/api/types";
import { KeptSeen } from "@/player/reading/kept-seen";

interface ClipSeenProps {
  clip: Clip;
  /** Of the video, from 0: that of step n is the n-th. */
  frame: number;
  /** Holds the video at this step. */
  onHold: () => void;
}

/** What the agent saw in a frame of a clip, and what mattered in it. */
export function ClipSeen({ clip, frame, onHold }: ClipSeenProps) {
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
        ? "What the agent saw was not kept when this clip was made."
        : frame >= clip.pictures.pictures
          ? "What the agent saw is kept only up to an earlier step of this clip."
          : "Reading…"}
    </KeptSeen>
  );
}
