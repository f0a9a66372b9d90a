"use client";

import { useQueries } from "@tanstack/react-query";
import clsx from "clsx";
import { Card } from "@/components/ui/card";
import { Player, useDeck } from "@/components/player";
import { evaluationsQuery, type RunDetail } from "@/lib/api";
import type { Looks } from "./looks";
import { newestVideo } from "./newest-video";
import { VideoTile } from "./video-tile";

interface VideosProps {
  runs: readonly RunDetail[];
  looks: Looks;
}

/** The newest video of every run, side by side under one set of controls. */
export function Videos({ runs, looks }: VideosProps) {
  const deck = useDeck();
  const answers = useQueries({ queries: runs.map(({ id }) => evaluationsQuery(id)) });
  const some = answers.some(({ data }) => data && newestVideo(data));
  const tiles = (
    <ul className={clsx("grid gap-3 sm:grid-cols-2", runs.length > 2 && "xl:grid-cols-3")}>
      {runs.map((run, i) => (
        <VideoTile
          key={run.id}
          run={run}
          look={looks.get(run.id)}
          deck={deck}
          evaluations={answers[i]?.data}
          error={answers[i]?.error ?? null}
        />
      ))}
    </ul>
  );
  return (
    <Card title="Policies side by side" className="@container">
      {some ? (
        <Player label="Player of all videos" deck={deck} chapters={NO_CHAPTERS}>
          {tiles}
        </Player>
      ) : (
        tiles
      )}
    </Card>
  );
}

const NO_CHAPTERS = [] as const;
