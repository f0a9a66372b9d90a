"use client";

import { type ComponentProps, useEffect, useRef } from "react";
import type { PlaybackController } from "./playback-controller";

interface TrackProps extends ComponentProps<"video"> {
  controller: PlaybackController;
  /** Length in seconds and frames per second, from the recorder. */
  duration: number;
  fps: number;
  /** Seconds at which the part to play begins, if it is not the whole video. */
  start?: number;
}

/** A video that a playback controller plays. */
export function VideoTrack({ controller, duration, fps, start, ...rest }: TrackProps) {
  const video = useRef<HTMLVideoElement>(null);

  // External system: the element that the browser plays.
  useEffect(() => {
    if (video.current) return controller.add(video.current, duration, fps, start);
  }, [controller, duration, fps, start]);

  return (
    <video ref={video} playsInline muted preload="auto" onClick={controller.toggle} {...rest} />
  );
}
