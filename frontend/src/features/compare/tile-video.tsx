"use client";

import { apiLink } from "@/api/http";
import type { Clip } from "@/api/types";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { TROUBLE_TEXT, useVideoTrouble, VideoTrack } from "@/player/video/player";
import { Button } from "@/ui/button";

interface TileVideoProps {
  video: NonNullable<Clip["video"]>;
  url: string;
  controller: PlaybackController;
  /** Name of the run. */
  name: string;
  /** Its file is gone. */
  onGone: () => void;
}

/** One of several videos that play together; a shorter one says that it has ended. */
export function TileVideo({ video, url, controller, name, onGone }: TileVideoProps) {
  const over = usePlaybackTime(controller, (time) => time > video.duration);
  const played = useVideoTrouble(url, onGone);
  if (played.trouble) {
    return (
      <div
        role="alert"
        className="flex aspect-3/2 flex-col items-center justify-center gap-3 rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-ink-soft"
      >
        <p>{TROUBLE_TEXT[played.trouble]}</p>
        {played.trouble === "failed" && (
          <Button size="sm" onClick={played.retry} aria-label={`Try again to load ${name}`}>
            Try again
          </Button>
        )}
      </div>
    );
  }
  return (
    <div className="relative">
      <VideoTrack
        controller={controller}
        duration={video.duration}
        fps={video.fps}
        src={apiLink(url)}
        aria-label={`Video of ${name}`}
        style={{ aspectRatio: `${video.width} / ${video.height}` }}
        className="w-full rounded-md border border-line bg-sunken object-contain"
        onError={played.onError}
      />
      {over && (
        <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
          ended
        </span>
      )}
    </div>
  );
}
