"use client";

import { LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { Player, usePlaybackController, VideoTrack } from "@/components/player";
import { apiLink, type Clip } from "@/lib/api";
import { count } from "@/lib/format";

interface ClipPlayerProps {
  clip: Clip | undefined;
  label: string;
  /** What is being made instead of it; null: nothing is. */
  making: string | null;
  /** Something went wrong with it. */
  onError: () => void;
  children?: ReactNode;
}

/** A clip, which plays as soon as it is there, always in the same place. */
export function ClipPlayer({ clip, label, making, onError, children }: ClipPlayerProps) {
  const controller = usePlaybackController();
  const stage = useRef<HTMLDivElement>(null);
  const { video, video_url: url, episodes } = clip ?? {};
  const chapters = useMemo(() => {
    if (!video || !episodes || episodes.length < 2) return [];
    return episodes.map(({ step, first_frame }) => ({
      label: `After ${count(step)} steps`,
      start: first_frame / video.fps,
    }));
  }, [video, episodes]);
  // External system: the video, another one of which begins from its start.
  useEffect(() => {
    if (!url) return;
    controller.seek(0);
    controller.play();
  }, [controller, url]);
  // External system: the scroll position. What was asked for elsewhere on the page comes into sight.
  useEffect(() => {
    stage.current?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, []);
  return (
    <Player label={label} controller={controller} chapters={chapters}>
      <div
        ref={stage}
        className="relative aspect-3/2 scroll-my-24 overflow-hidden rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:grow"
      >
        {video && url && (
          <VideoTrack
            key={url}
            controller={controller}
            duration={video.duration}
            fps={video.fps}
            src={apiLink(url)}
            aria-label={`Video of ${label}`}
            className="absolute inset-0 size-full object-contain"
            onError={onError}
          />
        )}
        {making && (
          <p
            role="status"
            className="absolute inset-x-0 bottom-0 flex items-center justify-center gap-2 bg-raised/90 px-3 py-2 text-xs text-ink-soft"
          >
            <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
            {making}
          </p>
        )}
        {children}
      </div>
    </Player>
  );
}
