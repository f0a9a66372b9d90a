"use client";

import clsx from "clsx";
import type { ReactNode, Ref } from "react";
import { apiLink } from "@/api/http";
import type { Clip, Evaluation, Run } from "@/api/types";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { TROUBLE_TEXT, useVideoTrouble, VideoTrack } from "@/player/video/player";
import { Button } from "@/ui/button";
import type { SeriesStyle } from "@/ui/series-style";
import { Swatch } from "@/ui/swatch";

interface TilesProps {
  /** Number of tiles. */
  count: number;
  label?: string;
  ref?: Ref<HTMLUListElement>;
  children: ReactNode;
}

/** Tiles side by side, one for each compared run. */
export function Tiles({ count, label, ref, children }: TilesProps) {
  return (
    <ul
      ref={ref}
      aria-label={label}
      className={clsx("grid gap-3 sm:grid-cols-2", count > 2 && "xl:grid-cols-3")}
    >
      {children}
    </ul>
  );
}

interface TileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  children: ReactNode;
}

/** A tile with a run's name above its content. */
export function Tile({ run, seriesStyle, children }: TileProps) {
  return (
    <li aria-label={run.name} className="flex min-w-0 flex-col gap-1.5">
      <p className="flex min-w-0 items-center gap-2 text-sm">
        <Swatch seriesStyle={seriesStyle} />
        <span title={run.name} className="min-w-0 truncate font-medium">
          {run.name}
        </span>
      </p>
      {children}
    </li>
  );
}

type Video = NonNullable<NonNullable<Evaluation["summary"]>["video"]>;

export interface Recording {
  evaluation: Evaluation;
  video: Video;
  url: string;
}

/** The newest evaluation with a video. `evaluations` must be newest first. */
export function newestVideo(evaluations: readonly Evaluation[]): Recording | null {
  for (const evaluation of evaluations) {
    const video = evaluation.summary?.video;
    if (video && evaluation.video_url) return { evaluation, video, url: evaluation.video_url };
  }
  return null;
}

interface TileVideoProps {
  video: NonNullable<Clip["video"]>;
  url: string;
  controller: PlaybackController;
  /** Name of the run. */
  name: string;
  /** Its file is gone. */
  onGone: () => void;
}

/** One of several videos that play together; a shorter one says that it has ended. */
export function TileVideo({ video, url, controller, name, onGone }: TileVideoProps) {
  const over = usePlaybackTime(controller, (time) => time > video.duration);
  const played = useVideoTrouble(url, onGone);
  if (played.trouble) {
    return (
      <div
        role="alert"
        className="flex aspect-3/2 flex-col items-center justify-center gap-3 rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-ink-soft"
      >
        <p>{TROUBLE_TEXT[played.trouble]}</p>
        {played.trouble === "failed" && (
          <Button size="sm" onClick={played.retry} aria-label={`Try again to load ${name}`}>
            Try again
          </Button>
        )}
      </div>
    );
  }
  return (
    <div className="relative">
      <VideoTrack
        controller={controller}
        duration={video.duration}
        fps={video.fps}
        src={apiLink(url)}
        aria-label={`Video of ${name}`}
        style={{ aspectRatio: `${video.width} / ${video.height}` }}
        className="w-full rounded-md border border-line bg-sunken object-contain"
        onError={played.onError}
      />
      {over && (
        <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
          ended
        </span>
      )}
    </div>
  );
}
