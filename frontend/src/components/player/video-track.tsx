"use client";

import { type ComponentProps, useEffect, useRef } from "react";
import type { PlaybackController } from "./playback-controller";

interface TrackProps extends ComponentProps<"video"> {
  controller: PlaybackController;
  /** Seconds, and frames a second, as the recorder wrote them. */
  duration: number;
  fps: number;
}

/** A video that a playback controller plays. */
export function VideoTrack({ controller, duration, fps, ...rest }: TrackProps) {
  const video = useRef<HTMLVideoElement>(null);

  // External system: the element that the browser plays.
  useEffect(() => {
    if (video.current) return controller.add(video.current, duration, fps);
  }, [controller, duration, fps]);

  return (
    <video ref={video} playsInline muted preload="auto" onClick={controller.toggle} {...rest} />
  );
}
