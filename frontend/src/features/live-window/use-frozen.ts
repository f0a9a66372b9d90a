"use client";

import { useEffect, useState } from "react";
import type { StepRecord } from "@/lib/api";
import type { EpisodeTrace } from "@/lib/session";

export interface Frozen {
  trace: EpisodeTrace;
  record: StepRecord;
}

/** The frame of a moment that somebody picked; null while it is decoded, or where it was not kept. */
export function useFrozenPicture(frozen: Frozen | null): ImageBitmap | null {
  const [decoded, setDecoded] = useState<{ of: Frozen; picture: ImageBitmap } | null>(null);

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
      // A frame that cannot be decoded is shown as one that was not kept.
      .catch(() => {});
    return () => {
      left = true;
      picture?.close();
    };
  }, [frozen]);

  return decoded !== null && decoded.of === frozen ? decoded.picture : null;
}
