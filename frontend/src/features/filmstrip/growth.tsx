"use client";

import { Download, X } from "lucide-react";
import { ViewLayout } from "@/components/agent";
import { usePlaybackController } from "@/components/player";
import { Button } from "@/components/ui/button";
import { apiLink, type ClipOptions, explainAction, type RunDetail } from "@/lib/api";
import { fileName, follow } from "@/lib/download";
import { useGrowthVideo } from "@/lib/film";
import { brief, compact, count, plural } from "@/lib/format";
import { useRunStill } from "@/lib/registry";
import { ClipPlayer } from "./clip-player";

interface GrowthProps {
  run: RunDetail;
  /** Step of the last policy of it: another one makes another video. */
  until: number;
  options: ClipOptions;
  onClose: () => void;
}

/** Some policies from the first to the best after each other, with the curve of the return in a corner. */
export function Growth({ run, until, options, onClose }: GrowthProps) {
  const controller = usePlaybackController();
  const stillUrl = useRunStill(run);
  const { data: clip, isFetching, error, refetch } = useGrowthVideo(run.id, until, options);
  const url = clip?.video_url;
  const failure = error
    ? explainAction(error)
    : clip?.status === "failed" && !isFetching
      ? `The video could not be made. ${clip.cause ?? ""}`
      : null;
  return (
    <ViewLayout
      title="From clumsy to solved"
      meta={
        clip && clip.episodes.length > 0
          ? `${plural(clip.episodes.length, "policy", "policies")} · seed ${count(clip.seed)} · ${clip.greedy ? "greedy" : "exploring"}`
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
          caption="From clumsy to solved"
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
          <ol
            aria-label="Policies of the film"
            className="flex flex-col overflow-hidden rounded-md border border-line text-xs tabular-nums"
          >
            {clip.episodes.map(({ step, episode_return, first_frame }) => (
              <li key={step} className="border-line not-first:border-t">
                <button
                  type="button"
                  onClick={() => {
                    controller.seek(first_frame / clip.video!.fps);
                    controller.play();
                  }}
                  className="flex w-full justify-between gap-3 px-2.5 py-1.5 text-left -outline-offset-2! hover:bg-sunken max-md:py-2.5"
                >
                  <span>Step {compact(step)}</span>
                  <span className="text-ink-soft">return {brief(episode_return)}</span>
                </button>
              </li>
            ))}
          </ol>
        )
      }
    />
  );
}
