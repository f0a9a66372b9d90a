"use client";

import { useState, useSyncExternalStore } from "react";
import {
  type PlaybackState,
  type AnimationFrames,
  PlaybackController,
} from "./playback-controller";

const browserAnimationFrames: AnimationFrames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (id) => cancelAnimationFrame(id),
};

const STILL: PlaybackState = { playing: false, loop: false, rate: 1, duration: 0 };

export function usePlaybackController(): PlaybackController {
  return useState(() => new PlaybackController(browserAnimationFrames))[0];
}

export function usePlaybackState(controller: PlaybackController): PlaybackState {
  return useSyncExternalStore(controller.onState, controller.getState, () => STILL);
}

/** What `read` makes of the time; the reader is drawn anew only when that changes. */
export function usePlaybackTime<T extends number | string | boolean | null>(
  controller: PlaybackController,
  read: (time: number) => T,
): T {
  return useSyncExternalStore(
    controller.onTime,
    () => read(controller.getTime()),
    () => read(0),
  );
}
