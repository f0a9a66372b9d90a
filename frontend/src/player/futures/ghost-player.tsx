"use client";

import { Ghost as GhostIcon, Split, Video } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { apiLink } from "@/api/http";
import type { Future } from "@/api/types";
import { readTokenColors } from "@/charts/canvas";
import { count } from "@/lib/number";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { drawGhosts, type Ghost } from "@/player/blend";
import {
  partOf,
  type PlaybackController,
  usePlaybackController,
  usePlaybackState,
} from "@/player/video/playback-controller";
import {
  Player,
  type Point,
  TROUBLE_TEXT,
  useVideoTrouble,
  VideoTrack,
} from "@/player/video/player";
import { Button } from "@/ui/button";
import { focusPlayer, type RecordedVideo, type WantedFuture } from "./other-futures";
import { type FutureLine, futureLines, futureSentence } from "./prepare";

/** Colour token of the ghost. */
const GHOST_COLOR = "series-2";
const NO_CHAPTERS: never[] = [];

interface GhostPlayerProps {
  future: Future;
  wanted: WantedFuture;
  recorded: RecordedVideo | null;
  /** Opens the menu again, for another action at the same step. */
  onOther: (point: Point) => void;
  onClose: () => void;
}

/** The other future as a ghost over the recorded episode, in step from the step at which they part. */
export function GhostPlayer({ future, wanted, recorded, onOther, onClose }: GhostPlayerProps) {
  const controller = usePlaybackController(future.id);
  const { playing } = usePlaybackState(controller);
  const corner = useCornerWindow(playing);
  const frame = useRef<HTMLDivElement>(null);
  const { video, video_url: url } = future;
  const ghost = useVideoTrouble(url);
  const lines = futureLines(future, { taken: wanted.taken.name, other: wanted.other.name });
  // External system: the keyboard's focus, which was on what is hidden now.
  useEffect(() => focusPlayer(frame.current), []);
  if (!video || !url || !lines) return null;
  const sentence = futureSentence(lines);
  return (
    <div
      ref={frame}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 outline-none"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || document.fullscreenElement) return;
        event.preventDefault();
        onClose();
      }}
    >
      <Player
        label={`Player of the other future: ${sentence}`}
        controller={controller}
        chapters={NO_CHAPTERS}
        onOther={onOther}
      >
        <Stage label="Other future" caption={sentence} corner={corner} stillUrl={null}>
          {ghost.trouble === null ? (
            <Overlay
              {...{ controller, recorded, video, future }}
              at={wanted.at}
              url={url}
              label={sentence}
              onBroken={ghost.onError}
            />
          ) : (
            <StageNote alert>
              <p>{TROUBLE_TEXT[ghost.trouble]}</p>
              <Button size="sm" onClick={ghost.retry}>
                Try again
              </Button>
            </StageNote>
          )}
        </Stage>
      </Player>
      <div
        role="group"
        aria-label={`From step ${count(wanted.at.step)} on`}
        className="flex flex-wrap items-start gap-x-4 gap-y-2 text-sm tabular-nums"
      >
        <ul className="flex min-w-0 grow flex-col gap-1">
          <Line line={lines.recorded} icon={<Video aria-hidden className="size-3.5" />} />
          <Line
            line={lines.other}
            icon={
              <GhostIcon
                aria-hidden
                className="size-3.5"
                style={{ color: `var(--${GHOST_COLOR})` }}
              />
            }
          />
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={<Split aria-hidden className="size-3.5" />}
            onClick={({ currentTarget }) => {
              const { left, bottom } = currentTarget.getBoundingClientRect();
              onOther({ x: left, y: bottom });
            }}
          >
            Another action
          </Button>
          <Button size="sm" onClick={onClose}>
            Back to the episode
          </Button>
        </div>
      </div>
      <p className="text-xs text-ink-faint">
        {recorded
          ? "The recorded episode, with the other future as a ghost over it. "
          : "The recorded episode has no video, so the other future is shown alone. "}
        Rewards count from step {count(wanted.at.step)} on.
      </p>
    </div>
  );
}

function Line({ line: { name, gain, end }, icon }: { line: FutureLine; icon: React.ReactNode }) {
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span className="flex min-w-0 items-center gap-1.5">
        {icon}
        <span className="min-w-0 break-words">{name}:</span>
      </span>
      <strong className="font-semibold">{gain}</strong>
      <span className="text-xs text-ink-soft">{end}</span>
    </li>
  );
}

interface OverlayProps {
  controller: PlaybackController;
  recorded: RecordedVideo | null;
  future: Future;
  video: NonNullable<Future["video"]>;
  url: string;
  at: WantedFuture["at"];
  label: string;
  onBroken: () => void;
}

const HIDDEN = "pointer-events-none absolute inset-0 size-full opacity-0";

/** Both videos, unseen, and the canvas that shows them over each other. */
function Overlay({ controller, recorded, future, video, url, at, label, onBroken }: OverlayProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const episode = recorded?.episodes[at.episode];
  const part = recorded && episode ? partOf(episode, at.step, recorded.fps) : null;
  const begins = part?.start ?? null;
  const ghostSeconds = (video.frames - 0.5) / video.fps;
  const seconds = useMemo(
    () => ({ recorded: part?.duration ?? null, ghost: ghostSeconds }),
    [part?.duration, ghostSeconds],
  );
  const ready = useDrawing(canvas, place, controller, seconds, future.caption_height);
  // External system: the videos, which play as soon as both show the step.
  useEffect(() => {
    if (ready) controller.play();
  }, [controller, ready]);
  return (
    <div ref={place} className="absolute inset-0">
      {recorded && part && begins !== null && (
        <VideoTrack
          controller={controller}
          duration={part.duration}
          fps={recorded.fps}
          start={begins}
          src={apiLink(recorded.url)}
          aria-hidden
          tabIndex={-1}
          data-track="recorded"
          className={HIDDEN}
        />
      )}
      <VideoTrack
        controller={controller}
        duration={ghostSeconds}
        fps={video.fps}
        start={0}
        src={apiLink(url)}
        aria-hidden
        tabIndex={-1}
        data-track="ghost"
        className={HIDDEN}
        onError={onBroken}
      />
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        width={0}
        height={0}
        onClick={controller.toggle}
        className="absolute inset-0 size-full object-contain"
      />
    </div>
  );
}

/** Seconds within which a video counts as over. */
const END = 0.03;
/** `HTMLMediaElement.HAVE_CURRENT_DATA` */
const HAS_FRAME = 2;

/** Draws the videos in `place` over each other whenever one of them has a new frame. Returns whether all have one. */
function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  place: RefObject<HTMLDivElement | null>,
  controller: PlaybackController,
  seconds: { recorded: number | null; ghost: number },
  caption: number,
): boolean {
  const [ready, setReady] = useState(false);
  // External systems: the videos, which have new frames, and the canvas.
  useEffect(() => {
    const layer = document.createElement("canvas");
    const videos = [...(place.current?.querySelectorAll("video") ?? [])];
    let asked: number | null = null;
    const draw = () => {
      asked = null;
      const target = canvas.current;
      if (!target || videos.some((video) => video.readyState < HAS_FRAME)) return;
      setReady(true);
      const color = readTokenColors(target).of(GHOST_COLOR);
      const now = controller.time.get();
      drawGhosts(
        target,
        layer,
        videos.map((picture): Ghost => {
          const isGhost = picture.dataset.track === "ghost";
          const own = isGhost ? seconds.ghost : seconds.recorded;
          return {
            picture,
            color: isGhost ? color : null,
            isOver:
              videos.length > 1 && own !== null && now > own - END && !isLongest(own, seconds),
            caption: isGhost && videos.length > 1 ? caption : 0,
          };
        }),
      );
    };
    const drawSoon = () => (asked ??= requestAnimationFrame(draw));
    const events = ["loadeddata", "seeked", "timeupdate"] as const;
    for (const video of videos) for (const event of events) video.addEventListener(event, drawSoon);
    const leave = controller.time.subscribe(drawSoon);
    drawSoon();
    return () => {
      leave();
      for (const video of videos)
        for (const event of events) video.removeEventListener(event, drawSoon);
      if (asked !== null) cancelAnimationFrame(asked);
    };
  }, [canvas, place, controller, seconds, caption]);
  return ready;
}

function isLongest(own: number, { recorded, ghost }: { recorded: number | null; ghost: number }) {
  return own >= Math.max(recorded ?? 0, ghost);
}
