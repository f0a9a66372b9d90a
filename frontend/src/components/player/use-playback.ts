"use client";

import { useState } from "react";
import { useStore, useStoreValue } from "@/lib/store";
import {
  type AnimationFrames,
  PlaybackController,
  type PlaybackState,
} from "./playback-controller";

const browserAnimationFrames: AnimationFrames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (id) => cancelAnimationFrame(id),
};

export function usePlaybackController(): PlaybackController {
  return useState(() => new PlaybackController(browserAnimationFrames))[0];
}

export function usePlaybackState(controller: PlaybackController): PlaybackState {
  return useStore(controller.state);
}

/** What `read` makes of the time in seconds; the component renders again only when that changes. */
export function usePlaybackTime<T extends number | string | boolean | null>(
  controller: PlaybackController,
  read: (time: number) => T,
): T {
  return useStoreValue(controller.time, read);
}
