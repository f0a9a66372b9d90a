"use client";

import clsx from "clsx";
import { apiLink } from "@/api/http";
import { count, decimal } from "@/lib/number";
import { Button } from "@/ui/button";
import { frameAt } from "../player/frames";
import type { PlaybackController } from "../player/playback-controller";
import { usePlaybackTime } from "../player/use-playback";
import { TROUBLE_TEXT, useVideoTrouble } from "../player/use-video-trouble";
import { VideoTrack } from "../player/video-track";
import { actionText } from "../policy-reading/prepare/action";
import { partOf } from "./alignment";
import { choiceName } from "./choices";
import type { Side } from "./episode-pair";

interface EpisodeSideProps {
  side: Side;
  controller: PlaybackController;
  /** Step at which playing begins. */
  from: number;
  /** Step on which the episodes choose different actions for the first time; null: they never do. */
  decision: number | null;
}

/** One episode of a pair: its picture, and under it where it stands and what is done. */
export function EpisodeSide({
  side: { choice, steps },
  controller,
  from,
  decision,
}: EpisodeSideProps) {
  const { evaluation, episode } = choice;
  const video = evaluation.summary?.video;
  const fps = video?.fps ?? 0;
  const { start, duration } = partOf(episode, from, fps);
  const last = steps.records.length - 1;
  const step = usePlaybackTime(controller, (time) => Math.min(last, from + frameAt(time, fps)));
  const played = useVideoTrouble(evaluation.video_url);
  const record = steps.records[step];
  const next = steps.records[step + 1];
  const words = next ? actionText(next.action, steps.info.action) : null;
  const parts = decision !== null && step >= decision;
  return (
    <figure aria-label={choiceName(choice)} className="flex min-w-0 flex-col gap-1.5">
      <div className="relative aspect-3/2 overflow-hidden rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow">
        {played.trouble ? (
          <div
            role="alert"
            className="absolute inset-0 grid place-content-center justify-items-center gap-3 p-4 text-center text-sm text-ink-soft"
          >
            <p>{TROUBLE_TEXT[played.trouble]}</p>
            {played.trouble === "failed" && (
              <Button size="sm" onClick={played.retry}>
                Try again
              </Button>
            )}
          </div>
        ) : (
          evaluation.video_url && (
            <VideoTrack
              {...{ controller, duration, fps, start }}
              src={apiLink(evaluation.video_url)}
              aria-label={`Video of ${choiceName(choice)}`}
              className="absolute inset-0 size-full object-contain"
              onError={played.onError}
            />
          )
        )}
        {step === last && (
          <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
            ended
          </span>
        )}
      </div>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs tabular-nums">
        <span
          className={clsx(
            "min-w-0 truncate rounded-full px-2 py-0.5 font-medium",
            step === decision
              ? "bg-accent text-accent-ink"
              : parts
                ? "bg-accent-tint text-accent-strong"
                : "bg-rest-tint text-ink-soft",
          )}
        >
          {words ?? "no action"}
        </span>
        <span className="min-w-0 text-ink-faint">
          step {count(step)} · return {decimal(record?.episode_return)} · seed {count(episode.seed)}
        </span>
      </figcaption>
    </figure>
  );
}
