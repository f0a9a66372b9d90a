"use client";

import { useState } from "react";
import { createStore, type ReadableStore } from "@/lib/store";
import { useStore, useStoreValue } from "@/lib/use-store";

/** The part of a video element that the controller needs. */
export type Media = Pick<
  HTMLVideoElement,
  | "currentTime"
  | "seeking"
  | "paused"
  | "playbackRate"
  | "play"
  | "pause"
  | "addEventListener"
  | "removeEventListener"
> &
  FrameTeller;

interface PlaybackState {
  playing: boolean;
  loop: boolean;
  rate: number;
  /** Seconds of the longest video. */
  duration: number;
}

interface AnimationFrames {
  request(callback: () => void): number;
  cancel(id: number): void;
}

interface Track {
  media: Media;
  duration: number;
  fps: number;
  /** Seconds of the video at which its part begins; null: it is played whole, and ends by itself. */
  start: number | null;
  shown: ShownFrame;
}

const AT_REST: PlaybackState = { playing: false, loop: false, rate: 1, duration: 0 };

export const RATES = [0.25, 0.5, 1, 2, 4, 8] as const;

/** Videos further apart than this many seconds are synchronised. */
const DRIFT = 0.12;
const END_SLACK = 0.02;
/** Seconds within which two times are the same, of parts that begin at different times. */
const ROUNDING = 1e-3;

/** Plays one or several videos together. The longest leads; the others follow its time and wait at their ends. */
export class PlaybackController {
  private tracks: Track[] = [];
  private readonly stateStore = createStore<PlaybackState>(AT_REST);
  private readonly timeStore = createStore(0);
  private frame: number | null = null;

  constructor(private readonly frames: AnimationFrames) {}

  readonly state: ReadableStore<PlaybackState> = this.stateStore;
  /** Seconds from the beginning, within the frame of the longest video that is on the screen. */
  readonly time: ReadableStore<number> = this.timeStore;

  /**
   * Adds a video and returns the function that removes it. `duration` in seconds: of the whole video, or of the part
   * that begins at `start`.
   */
  add(media: Media, duration: number, fps: number, start: number | null = null): () => void {
    const shown = new ShownFrame(media, fps, () => this.frameShown(track));
    const track: Track = { media, duration, fps, start, shown };
    this.tracks = [...this.tracks, track];
    media.playbackRate = this.state.get().rate;
    const ended = () => this.ended(track);
    // The browser, or a media key, can start and pause a video too.
    const played = () => this.begin();
    const paused = () => this.pausedByOthers(track);
    // Another video in the same element begins paused, wherever the one before was.
    const loaded = () => {
      this.seekTrack(track);
      if (this.state.get().playing && this.time.get() < track.duration - END_SLACK)
        startMedia(media);
    };
    media.addEventListener("ended", ended);
    media.addEventListener("play", played);
    media.addEventListener("pause", paused);
    media.addEventListener("loadedmetadata", loaded);
    this.setState({ duration: this.longest() });
    return () => {
      shown.stop();
      media.removeEventListener("ended", ended);
      media.removeEventListener("play", played);
      media.removeEventListener("pause", paused);
      media.removeEventListener("loadedmetadata", loaded);
      this.tracks = this.tracks.filter((other) => other !== track);
      if (this.tracks.length === 0) this.rest();
      this.setState({ duration: this.longest() });
    };
  }

  readonly play = () => {
    if (this.tracks.length === 0) return;
    if (this.time.get() >= this.state.get().duration - END_SLACK) this.seek(0);
    this.begin();
    for (const track of this.tracks)
      if (this.time.get() < track.duration - END_SLACK) startMedia(track.media);
  };

  readonly pause = () => {
    this.rest();
    for (const { media } of this.tracks) media.pause();
    this.follow();
    this.align();
  };

  readonly toggle = () => (this.state.get().playing ? this.pause() : this.play());

  readonly seek = (time: number) => {
    this.timeStore.set(Math.min(this.state.get().duration, Math.max(0, time)));
    for (const track of this.tracks) this.seekTrack(track);
  };

  /** Pauses and shows the frame `by` frames after the current one. */
  readonly step = (by: number) => {
    if (this.state.get().playing) this.pause();
    const fps = Math.max(0, ...this.tracks.map((track) => track.fps));
    if (fps === 0) return;
    const last = Math.max(0, Math.round(this.state.get().duration * fps) - 1);
    this.seek(middleOf(Math.min(last, frameAt(this.time.get(), fps) + by), fps));
  };

  readonly setRate = (rate: number) => {
    for (const { media } of this.tracks) media.playbackRate = rate;
    this.setState({ rate });
  };

  /** Selects the next higher (1) or lower (-1) speed. */
  readonly shiftRate = (by: number) => {
    const at = RATES.findIndex((rate) => rate === this.state.get().rate);
    this.setRate(RATES[Math.min(RATES.length - 1, Math.max(0, at + by))]!);
  };

  readonly toggleLoop = () => this.setState({ loop: !this.state.get().loop });

  private longest() {
    return Math.max(0, ...this.tracks.map(({ duration }) => duration));
  }

  private leader(): Track | undefined {
    return this.tracks.find(({ duration }) => duration === this.state.get().duration);
  }

  private begin() {
    if (this.state.get().playing) return;
    this.setState({ playing: true });
    this.frame = this.frames.request(this.tick);
  }

  private rest() {
    if (this.frame !== null) this.frames.cancel(this.frame);
    this.frame = null;
    if (this.state.get().playing) this.setState({ playing: false });
  }

  private readonly tick = () => {
    this.frame = this.frames.request(this.tick);
    this.follow();
  };

  /** Reads the time from the leader and brings the other videos to it. */
  private follow() {
    const leader = this.leader();
    if (!leader) return;
    const now = timeOf(leader);
    this.timeStore.set(timeOnScreen(leader));
    for (const track of this.tracks) {
      if (track === leader) continue;
      const due = Math.min(now, track.duration);
      const waiting = now >= track.duration - END_SLACK;
      // A machine that is slow to find a frame would never show one, were it sent to the next while it searches.
      if (!waiting && !track.media.seeking && Math.abs(timeOf(track) - due) > DRIFT)
        this.seekTrack(track);
      if (isPast(track)) this.hold(track);
      if (this.state.get().playing && !waiting && track.media.paused) startMedia(track.media);
    }
    if (isPast(leader)) {
      this.ended(leader);
      if (!this.state.get().playing) this.hold(leader);
    }
  }

  /** Moves paused videos to exactly the frame of the leader. While they play, a difference below `DRIFT` is ignored. */
  private align() {
    for (const track of this.tracks) {
      if (track === this.leader()) continue;
      const [now, due] = [timeOf(track), Math.min(this.time.get(), track.duration)];
      const hasEnded = Math.min(now, due) >= track.duration - END_SLACK;
      if (!hasEnded && Math.abs(now - due) > ROUNDING) this.seekTrack(track);
    }
  }

  /** Shows the last frame of a part: the video itself would go on. */
  private hold(track: Track) {
    track.media.pause();
    this.seekTrack(track);
  }

  private ended(track: Track) {
    if (track !== this.leader()) return;
    this.timeStore.set(this.state.get().duration);
    if (this.state.get().loop) return this.play();
    this.rest();
    // A part of a video would go on.
    for (const other of this.tracks) if (other !== track && other.start !== null) this.hold(other);
  }

  /** A pause, too, may be followed by a frame that was on its way. */
  private frameShown(track: Track) {
    if (track !== this.leader() || this.state.get().playing || track.media.seeking) return;
    this.timeStore.set(timeOnScreen(track));
    this.align();
  }

  /** A video also pauses at its own end; only a pause of the leader pauses the others. */
  private pausedByOthers(track: Track) {
    const { playing, duration } = this.state.get();
    if (!playing || track !== this.leader()) return;
    if (timeOf(track) < duration - END_SLACK) this.pause();
  }

  private seekTrack({ media, duration, start }: Track) {
    const due = (start ?? 0) + Math.min(this.time.get(), duration);
    if (media.currentTime !== due) media.currentTime = due;
  }

  private setState(change: Partial<PlaybackState>) {
    this.stateStore.set({ ...this.state.get(), ...change });
  }
}

/** Seconds since the track started; 0 before its first seek. */
function timeOf({ media, start }: Track): number {
  return Math.max(0, media.currentTime - (start ?? 0));
}

/** Seconds from the start of the track to the frame that is on the screen. */
function timeOnScreen({ media, start, shown, duration }: Track): number {
  const time = shown.timeOnScreen(media.currentTime, media.playbackRate) - (start ?? 0);
  return Math.min(duration, Math.max(0, time));
}

function isPast(track: Track): boolean {
  return track.start !== null && timeOf(track) > track.duration;
}

/** A browser may refuse to start a video without a user gesture; the next click is one. */
function startMedia(media: Media) {
  media.play()?.catch(() => {});
}

/** The method of a video element that reports the visible frame; not every browser has it. */
type FrameTeller = Partial<
  Pick<HTMLVideoElement, "requestVideoFrameCallback" | "cancelVideoFrameCallback">
>;

/** Seconds of the video. If it differs more from the clock, it belongs to the frame before a jump. */
const FURTHEST = 0.25;

/** Remaining share of a frame if the clock is ahead of it. */
const LEFT_IN_FRAME = 0.01;

/**
 * Follows which frame of a video is on the screen. The video's clock cannot tell: while the machine is busy, it runs
 * some frames ahead of the picture.
 */
class ShownFrame {
  private frame: number | null = null;
  private request: number | undefined;

  /** `onChange` is called whenever another frame is shown. */
  constructor(
    private readonly media: FrameTeller,
    private readonly fps: number,
    private readonly onChange: () => void,
  ) {
    this.listen();
  }

  /** The time `now` of the video's clock, moved into the frame that is on the screen. In seconds. */
  timeOnScreen(now: number, rate: number): number {
    if (this.frame === null || this.fps <= 0) return now;
    const start = this.frame / this.fps;
    if (frameAt(now, this.fps) === this.frame) return now;
    if (Math.abs(now - start) > FURTHEST * Math.max(1, rate)) return now;
    return now < start ? start : (this.frame + 1 - LEFT_IN_FRAME) / this.fps;
  }

  stop(): void {
    if (this.request !== undefined) this.media.cancelVideoFrameCallback?.(this.request);
  }

  private listen() {
    this.request = this.media.requestVideoFrameCallback?.((_, { mediaTime }) => {
      this.frame = Math.round(mediaTime * this.fps);
      this.listen();
      this.onChange();
    });
  }
}

/** A seek, or the sum of many steps, may end slightly before the intended frame. */
const SLACK_FRAMES = 1e-3;

/** Index of the frame on screen at `time` seconds. */
export function frameAt(time: number, fps: number): number {
  return Math.max(0, Math.floor(time * fps + SLACK_FRAMES));
}

/** The middle of a frame in seconds. A seek there shows this frame, whichever way the browser rounds. */
export function middleOf(frame: number, fps: number): number {
  return fps > 0 ? (Math.max(0, frame) + 0.5) / fps : 0;
}

/** The part of an evaluation's video that shows an episode from a step on: its start and duration in seconds. */
export function partOf(
  { first_frame, episode_length }: { first_frame: number; episode_length: number },
  from: number,
  fps: number,
): { start: number; duration: number } {
  // It ends in the middle of the last frame: the next one belongs to another episode.
  return { start: (first_frame + from) / fps, duration: (episode_length - from + 0.5) / fps };
}

/** `83.456` → `1:23.4`. Rounds down, so that the end is not shown before it is reached. */
export function timecode(seconds: number): string {
  const tenths = Math.max(0, Math.floor(seconds * 10 + SLACK_FRAMES));
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}

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
