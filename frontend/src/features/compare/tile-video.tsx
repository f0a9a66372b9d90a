"use client";

import { type PlaybackController, usePlaybackTime, VideoTrack } from "@/components/player";
import { apiLink, type Clip } from "@/lib/api";

interface TileVideoProps {
  video: NonNullable<Clip["video"]>;
  url: string;
  controller: PlaybackController;
  /** Name of the run. */
  name: string;
  onBroken: () => void;
}

/** One of several videos that play together; a shorter one says that it has ended. */
export function TileVideo({ video, url, controller, name, onBroken }: TileVideoProps) {
  const over = usePlaybackTime(controller, (time) => time > video.duration);
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
        onError={onBroken}
      />
      {over && (
        <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
          ended
        </span>
      )}
    </div>
  );
}
