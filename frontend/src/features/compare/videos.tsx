"use client";

import { useQueries } from "@tanstack/react-query";
import { Columns2 } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { evaluationsQuery } from "@/api/evaluations";
import type { Run } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { choicesOf, pairOnOneSeed } from "@/player/side-by-side/choices";
import { usePlaybackController } from "@/player/video/playback-controller";
import { Player } from "@/player/video/player";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { DownloadVideo } from "./download-video";
import { newestVideo } from "./newest-video";
import type { SeriesStyles } from "./series-styles";
import { Tiles } from "./tile";
import { VideoTile } from "./video-tile";

const SideBySideDialog = dynamic(
  withRetry(() => import("@/player/side-by-side/side-by-side-dialog").then((module) => module.SideBySideDialog)),
  { ssr: false },
);

interface VideosProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Placed at the end of the title line. */
  aside?: ReactNode;
}

/** The newest video of every run side by side, under one set of controls. */
export function Videos({ runs: all, seriesStyles, aside }: VideosProps) {
  const controller = usePlaybackController();
  const runs = all.slice(0, MOST_VIDEOS);
  const answers = useQueries({ queries: runs.map(({ id }) => evaluationsQuery(id)) });
  const [compares, setCompares] = useState(false);
  // Runs of one environment: in others, actions have other names.
  const choices = choicesOf(
    runs.flatMap((run, i) => {
      const found = run.env_id === runs[0]?.env_id && newestVideo(answers[i]?.data ?? []);
      return found ? [{ evaluation: found.evaluation, name: run.name }] : [];
    }),
  );
  const pair = pairOnOneSeed(choices);
  const filmed = runs.flatMap((run, i) => {
    const found = newestVideo(answers[i]?.data ?? []);
    return found ? [{ run, evaluationId: found.evaluation.id }] : [];
  });
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
        <span className="flex flex-wrap items-center gap-3">
          <LeftOut all={all.length} />
          {pair && (
            <Button
              size="sm"
              icon={<Columns2 aria-hidden className="size-3.5" />}
              onClick={() => {
                controller.pause();
                setCompares(true);
              }}
            >
              Where they differ
            </Button>
          )}
          {filmed.length > 1 && <DownloadVideo pair={filmed.slice(0, 2)} />}
          {aside}
        </span>
      }
    >
      {filmed.length > 0 ? (
        <Player label="Player of all videos" controller={controller} chapters={NO_CHAPTERS}>
          {tiles}
        </Player>
      ) : (
        tiles
      )}
      {compares && pair && (
        <SideBySideDialog choices={choices} first={pair} onClose={() => setCompares(false)} />
      )}
    </Card>
  );
}

/** Number of videos that browsers play at once without trouble. */
export const MOST_VIDEOS = 12;

/** Says how many runs have videos, if not all do. */
export function LeftOut({ all }: { all: number }) {
  if (all <= MOST_VIDEOS) return null;
  return (
    <span className="text-xs text-ink-faint">
      the first {MOST_VIDEOS} of {all} runs
    </span>
  );
}

const NO_CHAPTERS = [] as const;
