"use client";

import { Download, X } from "lucide-react";
import { useEnvironment, useRunStill } from "@/api/choices";
import type { ClipOptions } from "@/api/film";
import { apiLink, explainAction } from "@/api/http";
import type { Clip, RunDetail } from "@/api/types";
import { fileName, follow } from "@/lib/download";
import { brief, compact, count, decimal, plural } from "@/lib/number";
import { ViewLayout } from "@/player/agent/views";
import { useGrowthVideo } from "@/player/film";
import { usePlaybackController } from "@/player/video/playback-controller";
import { Button } from "@/ui/button";
import { ClipPlayer } from "./clip-player";

interface GrowthProps {
  run: RunDetail;
  /** Step of its last policy; another step means another video. */
  until: number;
  options: ClipOptions;
  onClose: () => void;
}

/** How much faster the video is than the environment, if it is: the first seconds of a long game show little. */
export function speed(fps: number | undefined, usual: number | undefined): string[] {
  return fps && usual && fps > usual ? [`${decimal(fps / usual)}× speed`] : [];
}

/** Some policies from the first to the best after each other, with the curve of the return in a corner. */
export function Growth({ run, until, options, onClose }: GrowthProps) {
  const controller = usePlaybackController();
  const stillUrl = useRunStill(run);
  const { data: clip, isFetching, error, refetch } = useGrowthVideo(run.id, until, options);
  const usualFps = useEnvironment(run.env_id)?.render_fps;
  const url = clip?.video_url;
  const failure = error
    ? explainAction(error)
    : clip?.status === "failed" && !isFetching
      ? `The video could not be made. ${clip.cause ?? ""}`
      : null;
  return (
    <ViewLayout
      title="How it learned"
      meta={
        clip && clip.episodes.length > 0
          ? [
              plural(clip.episodes.length, "policy", "policies"),
              `seed ${count(clip.seed)}`,
              clip.greedy ? "greedy" : "exploring",
              ...speed(clip.video?.fps, usualFps),
            ].join(" · ")
          : null
      }
      actions={
        <>
          <Button
            size="sm"
            variant="quiet"
            unavailable={!url && "The film is not made yet."}
            icon={<Download aria-hidden className="size-3.5" />}
            onClick={() => url && follow(apiLink(url), `${fileName(run.name, "growth")}.mp4`)}
          >
            Download
          </Button>
          <Button size="sm" variant="quiet" aria-label="Close the film" onClick={onClose}>
            <X aria-hidden className="size-4" />
          </Button>
        </>
      }
      stage={
        <ClipPlayer
          clip={clip}
          controller={controller}
          label="how the policy learned"
          caption="How it learned"
          stillUrl={stillUrl}
          making={
            isFetching && clip?.status !== "ready"
              ? "Some policies are being filmed, one after the other"
              : null
          }
          failure={failure}
          onRetry={() => void refetch()}
        />
      }
      beside={
        clip &&
        clip.video && (
          <GrowthPolicies
            episodes={clip.episodes}
            onPick={(frame) => {
              controller.seek(frame / clip.video!.fps);
              controller.play();
            }}
          />
        )
      }
    />
  );
}

interface GrowthPoliciesProps {
  episodes: Clip["episodes"];
  onPick: (firstFrame: number) => void;
}

/** The policies of the film, with the return of each. Of a long episode, the film contains only the start. */
export function GrowthPolicies({ episodes, onPick }: GrowthPoliciesProps) {
  return (
    <ol
      aria-label="Policies of the film"
      className="flex flex-col overflow-hidden rounded-md border border-line text-xs tabular-nums"
    >
      {episodes.map(({ step, episode_return, episode_length, cut, first_frame }) => (
        <li key={step} className="border-line not-first:border-t">
          <button
            type="button"
            onClick={() => onPick(first_frame)}
            className="flex w-full justify-between gap-3 px-2.5 py-1.5 text-left -outline-offset-2! hover:bg-sunken max-md:py-2.5"
          >
            <span>Step {compact(step)}</span>
            <span className="text-ink-soft">
              return {brief(episode_return)}
              {cut && ` in its first ${plural(episode_length, "step")}`}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
