"use client";

import { useState } from "react";
import { useStore, useStoreValue } from "@/lib/use-store";
import {
  type AnimationFrames,
  PlaybackController,
  type PlaybackState,
} from "./playback-controller";

const browserAnimationFrames: AnimationFrames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (id) => cancelAnimationFrame(id),
};

/** A controller of the component's own; another one, which begins from the start, whenever `of` is another. */
export function usePlaybackController(of = ""): PlaybackController {
  const make = () => ({ of, controller: new PlaybackController(browserAnimationFrames) });
  const [held, setHeld] = useState(make);
  if (held.of === of) return held.controller;
  const next = make();
  setHeld(next);
  return next.controller;
}

export function usePlaybackState(controller: PlaybackController): PlaybackState {
  return useStore(controller.state);
}

/**
 * The result of `read` for the current time in seconds. The component renders again only when the result
 * changes.
 */
export function usePlaybackTime<T extends number | string | boolean | null>(
  controller: PlaybackController,
  read: (time: number) => T,
): T {
  return useStoreValue(controller.time, read);
}
