"use client";

import { useEffect, useState } from "react";
import type { StepRecord } from "@/api/types";
import type { EpisodeTrace } from "@/player/session/episode-trace";

export interface Frozen {
  trace: EpisodeTrace;
  record: StepRecord;
}

/** The frame of a chosen moment: a picture, or why there is none (yet). */
export type FrozenPicture = ImageBitmap | "not kept" | "decoding" | "unreadable";

export function useFrozenPicture(frozen: Frozen | null): FrozenPicture {
  const [decoded, setDecoded] = useState<{ of: Frozen; picture: FrozenPicture } | null>(null);

  // External system: the browser's decoder, whose pictures have to be released.
  useEffect(() => {
    const data = frozen?.trace.frame(frozen.record.index);
    if (!frozen || !data) return;
    let picture: ImageBitmap | null = null;
    let left = false;
    createImageBitmap(data)
      .then((made) => {
        if (left) return made.close();
        picture = made;
        setDecoded({ of: frozen, picture: made });
      })
      .catch(() => {
        if (!left) setDecoded({ of: frozen, picture: "unreadable" });
      });
    return () => {
      left = true;
      picture?.close();
    };
  }, [frozen]);

  if (!frozen?.trace.frame(frozen.record.index)) return "not kept";
  return decoded !== null && decoded.of === frozen ? decoded.picture : "decoding";
}
