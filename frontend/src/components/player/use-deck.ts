"use client";

import { useState, useSyncExternalStore } from "react";
import { type DeckState, type Frames, VideoDeck } from "./deck";

const browserFrames: Frames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (id) => cancelAnimationFrame(id),
};

const STILL: DeckState = { playing: false, loop: false, rate: 1, duration: 0 };

export function useDeck(): VideoDeck {
  return useState(() => new VideoDeck(browserFrames))[0];
}

export function useDeckState(deck: VideoDeck): DeckState {
  return useSyncExternalStore(deck.onState, deck.getState, () => STILL);
}

/** What `read` makes of the time; the reader is drawn anew only when that changes. */
export function useDeckTime<T extends number | string | boolean | null>(
  deck: VideoDeck,
  read: (time: number) => T,
): T {
  return useSyncExternalStore(
    deck.onTime,
    () => read(deck.getTime()),
    () => read(0),
  );
}
