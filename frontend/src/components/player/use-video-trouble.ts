"use client";

import { useState } from "react";
import { isFileGone } from "@/api/run-files";

/** Why a video does not play: its file is gone, or it is there and could not be loaded. */
export type VideoTrouble = "gone" | "failed";

export const TROUBLE_TEXT: Record<VideoTrouble, string> = {
  gone: "This video is not kept any more",
  failed: "This video could not be loaded",
};

interface VideoState {
  /** Null as long as nothing went wrong. */
  trouble: VideoTrouble | null;
  /** To be called when the video element reports an error, which never says which. */
  onError: () => void;
  /** Loads the video again. */
  retry: () => void;
}

/** What became of the video at `url`, a link of the API. `onGone` is called once its file turns out to be gone. */
export function useVideoTrouble(url: string | null, onGone?: () => void): VideoState {
  const [found, setFound] = useState<{ url: string; trouble: VideoTrouble } | null>(null);
  // A video that is made again has no address meanwhile, and then the same one.
  if (found !== null && found.url !== url) setFound(null);
  return {
    trouble: found !== null && found.url === url ? found.trouble : null,
    onError: () => {
      if (url === null) return;
      setFound({ url, trouble: "failed" });
      void isFileGone(url).then((gone) => {
        if (!gone) return;
        setFound((now) => (now?.url === url ? { url, trouble: "gone" } : now));
        onGone?.();
      });
    },
    retry: () => setFound(null),
  };
}
