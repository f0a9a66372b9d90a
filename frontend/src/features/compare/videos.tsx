"use client";

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { Player, usePlaybackController } from "@/components/player";
import { evaluationsQuery, type Run } from "@/lib/api";
import type { SeriesStyles } from "./series-styles";
import { newestVideo } from "./newest-video";
import { Tiles } from "./tile";
import { VideoTile } from "./video-tile";

interface VideosProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Stands at the end of the title line. */
  aside?: ReactNode;
}

/** The newest video of every run, side by side under one set of controls. */
export function Videos({ runs: all, seriesStyles, aside }: VideosProps) {
  const controller = usePlaybackController();
  const runs = all.slice(0, MOST_VIDEOS);
  const answers = useQueries({ queries: runs.map(({ id }) => evaluationsQuery(id)) });
  const some = answers.some(({ data }) => data && newestVideo(data));
  const tiles = (
    <Tiles count={runs.length}>
      {runs.map((run, i) => (
        <VideoTile
          key={run.id}
          run={run}
          seriesStyle={seriesStyles.get(run.id)}
          controller={controller}
          evaluations={answers[i]?.data}
          error={answers[i]?.error ?? null}
        />
      ))}
    </Tiles>
  );
  return (
    <Card
      title="Policies side by side"
      className="@container"
      aside={
        <span className="flex items-center gap-3">
          <LeftOut all={all.length} />
          {aside}
        </span>
      }
    >
      {some ? (
        <Player label="Player of all videos" controller={controller} chapters={NO_CHAPTERS}>
          {tiles}
        </Player>
      ) : (
        tiles
      )}
    </Card>
  );
}

/** Browsers play about so many videos at once. */
export const MOST_VIDEOS = 12;

/** Says of how many runs the videos are, where that is not all. */
export function LeftOut({ all }: { all: number }) {
  if (all <= MOST_VIDEOS) return null;
  return (
    <span className="text-xs text-ink-faint">
      the first {MOST_VIDEOS} of {all} runs
    </span>
  );
}

const NO_CHAPTERS = [] as const;
