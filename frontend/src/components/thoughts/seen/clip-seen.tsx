"use client";

import { type Clip, clipPictures } from "@/lib/api";
import { SeenFigure } from "./seen-figure";
import { useKeptPicture } from "./use-kept-picture";

/** What the agent saw in frame `frame` of a clip. */
export function ClipSeen({ clip, frame }: { clip: Clip; frame: number }) {
  const sheet = useKeptPicture(clipPictures(clip), frame);
  return (
    <SeenFigure sheet={sheet} score={null} controls={null}>
      <p className="text-xs text-ink-soft">
        {!clip.pictures
          ? "What the agent saw was not kept when this clip was made."
          : frame >= clip.pictures.pictures
            ? "What the agent saw is kept only up to an earlier step of this clip."
            : "Reading…"}
      </p>
    </SeenFigure>
  );
}
