"use client";

import { type ComponentProps, useEffect, useRef } from "react";
import type { VideoDeck } from "./deck";

interface TrackProps extends ComponentProps<"video"> {
  deck: VideoDeck;
  /** Seconds, and frames a second, as the recorder wrote them. */
  duration: number;
  fps: number;
}

/** A video that a deck plays. */
export function Track({ deck, duration, fps, ...rest }: TrackProps) {
  const video = useRef<HTMLVideoElement>(null);

  // External system: the element that the browser plays.
  useEffect(() => {
    if (video.current) return deck.add(video.current, duration, fps);
  }, [deck, duration, fps]);

  return <video ref={video} playsInline muted preload="auto" onClick={deck.toggle} {...rest} />;
}
