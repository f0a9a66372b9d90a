"use client";

import { Download, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Notice } from "@/components/ui/notice";
import { apiLink, type ClipWish, explainAction, type RunDetail } from "@/lib/api";
import { fileName, follow } from "@/lib/download";
import { useGrowthVideo } from "@/lib/film";
import { brief, compact } from "@/lib/format";
import { ClipPlayer } from "./clip-player";

interface GrowthCardProps {
  run: RunDetail;
  /** Step of the newest policy: another one makes another video. */
  until: number;
  wish: ClipWish;
  onClose: () => void;
}

/** Some policies from the first to the newest after each other, with the curve of the return in a corner. */
export function GrowthCard({ run, until, wish, onClose }: GrowthCardProps) {
  const { data: clip, isFetching, error, refetch } = useGrowthVideo(run.id, until, wish);
  const url = clip?.video_url;
  return (
    <Card
      title="From clumsy to solved"
      aside={
        <span className="-mr-2 flex items-center">
          <Button
            size="sm"
            variant="quiet"
            disabled={!url}
            icon={<Download aria-hidden className="size-3.5" />}
            onClick={() => url && follow(apiLink(url), `${fileName(run.name, "growth")}.mp4`)}
          >
            Download
          </Button>
          <Button size="sm" variant="quiet" aria-label="Close the film" onClick={onClose}>
            <X aria-hidden className="size-4" />
          </Button>
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      {(error ?? clip?.status === "failed") && (
        <Notice
          tone="bad"
          role="alert"
          title={error ? explainAction(error) : "The video could not be made"}
        >
          <p className="text-ink-soft">{clip?.cause}</p>
          <Button size="sm" className="mt-2" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      <ClipPlayer
        clip={clip}
        label="how the policy learned"
        making={isFetching ? "Some policies are being filmed, one after the other" : null}
        onError={() => void refetch()}
      />
      {clip && clip.episodes.length > 0 && (
        <ol className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft tabular-nums">
          {clip.episodes.map(({ step, episode_return }) => (
            <li key={step}>
              {compact(step)}: return {brief(episode_return)}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
