"use client";

import { Clapperboard, VideoOff } from "lucide-react";
import { useState } from "react";
import { isUnderWay, useEvaluate, whyNotYet } from "@/api/evaluate";
import { explainAction } from "@/api/http";
import type { Evaluation, Run } from "@/api/types";
import { brief, decimal } from "@/lib/number";
import type { PlaybackController } from "@/player/video/playback-controller";
import { Button } from "@/ui/button";
import { Progress, Skeleton } from "@/ui/progress";
import type { SeriesStyle } from "@/ui/series-style";
import { newestVideo, type Recording } from "./newest-video";
import { Tile } from "./tile";
import { TileVideo } from "./tile-video";

interface VideoTileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  controller: PlaybackController;
  evaluations: readonly Evaluation[] | undefined;
  error: Error | null;
}

export function VideoTile({ run, seriesStyle, controller, evaluations, error }: VideoTileProps) {
  const [gone, setGone] = useState<string | null>(null);
  const found = evaluations ? newestVideo(evaluations) : null;
  const recording = found && found.evaluation.id !== gone ? found : null;
  return (
    <Tile run={run} seriesStyle={seriesStyle}>
      {recording ? (
        <Film
          key={recording.evaluation.id}
          recording={recording}
          controller={controller}
          name={run.name}
          onGone={() => setGone(recording.evaluation.id)}
        />
      ) : evaluations || error ? (
        <Missing run={run} newest={evaluations?.[0]} error={error} />
      ) : (
        <Skeleton className="aspect-3/2" />
      )}
    </Tile>
  );
}

interface FilmProps {
  recording: Recording;
  controller: PlaybackController;
  name: string;
  onGone: () => void;
}

function Film({ recording: { evaluation, video, url }, controller, name, onGone }: FilmProps) {
  const spread = evaluation.summary?.episode_return;
  return (
    <>
      <TileVideo video={video} url={url} controller={controller} name={name} onGone={onGone} />
      <p className="text-xs text-ink-faint tabular-nums">
        Step {brief(evaluation.checkpoint_step)}
        {spread && ` · return ${decimal(spread.mean)} ± ${decimal(spread.std)}`}
      </p>
    </>
  );
}

interface MissingProps {
  run: Run;
  newest: Evaluation | undefined;
  error: Error | null;
}

/** Says why a run has no video, and offers to record one. */
function Missing({ run, newest, error }: MissingProps) {
  const request = useEvaluate(run.id);
  const underWay = newest !== undefined && isUnderWay(newest);
  const notYet = whyNotYet(run);
  const failure = request.error ?? error;
  return (
    <div className="flex aspect-3/2 flex-col items-center justify-center gap-3 rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-ink-soft">
      {underWay ? (
        <div role="status" className="w-full max-w-56">
          <p>{newest.status === "queued" ? "Waiting to be evaluated" : "Recording"}</p>
          <Progress
            className="mt-2"
            label={`Evaluation of ${run.name}`}
            share={newest.episodes_done / Math.max(1, newest.episodes)}
          />
        </div>
      ) : (
        <>
          <VideoOff aria-hidden className="size-5 text-ink-faint" />
          <p role={failure ? "alert" : undefined}>
            {failure ? explainAction(failure) : (notYet ?? whyMissing(newest))}
          </p>
          {notYet === null && (
            <Button
              size="sm"
              needsService
              busy={request.isPending}
              aria-label={`Evaluate ${run.name}`}
              onClick={() => request.mutate({})}
              icon={<Clapperboard aria-hidden className="size-3.5" />}
            >
              Evaluate
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function whyMissing(newest: Evaluation | undefined): string {
  if (!newest) return "Not evaluated yet.";
  if (newest.status === "failed") return "Its newest evaluation failed.";
  return newest.summary?.video ? "Its videos are not kept." : "Recorded without a video.";
}
