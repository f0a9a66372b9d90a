"use client";

import { useMutation, useQueries } from "@tanstack/react-query";
import { Clapperboard, Columns2, Download, VideoOff } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { isUnderWay, useEvaluate, whyNotYet } from "@/api/evaluate";
import { evaluationsQuery } from "@/api/evaluations";
import { explainAction } from "@/api/http";
import { sideBySideVideo } from "@/api/metrics";
import { useRunActions } from "@/api/run-actions";
import type { Evaluation, Run } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { download, fileName } from "@/lib/download";
import { brief, decimal, plural } from "@/lib/number";
import { choicesOf, pairOnOneSeed } from "@/player/side-by-side/choices";
import { type PlaybackController, usePlaybackController } from "@/player/video/playback-controller";
import { Player } from "@/player/video/player";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Progress, Skeleton } from "@/ui/progress";
import type { SeriesStyle } from "@/ui/series-style";
import { toast } from "@/ui/toast";
import type { SeriesStyles } from "./series-styles";
import { newestVideo, type Recording, Tile, Tiles, TileVideo } from "./tile";

const SideBySideDialog = dynamic(
  withRetry(() =>
    import("@/player/side-by-side/side-by-side-dialog").then((module) => module.SideBySideDialog),
  ),
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
          <EvaluateAll
            runs={runs.filter((run, i) => {
              const known = answers[i]?.data;
              return known !== undefined && lacksVideo(run, known);
            })}
          />
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

/** Whether a run has no video, none is being made, and one can be made. */
function lacksVideo(run: Run, evaluations: readonly Evaluation[]): boolean {
  const newest = evaluations[0];
  return (
    newestVideo(evaluations) === null && !(newest && isUnderWay(newest)) && whyNotYet(run) === null
  );
}

/** A button that evaluates the runs without a video; hidden if there are fewer than two. */
function EvaluateAll({ runs }: { runs: readonly Run[] }) {
  const { evaluate } = useRunActions();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const outcomes = await Promise.allSettled(runs.map(({ id }) => evaluate(id, {})));
      return outcomes.flatMap((outcome, i) =>
        outcome.status === "rejected" ? [{ run: runs[i]!, error: outcome.reason as Error }] : [],
      );
    },
    onSuccess: (failed) => {
      if (failed.length === 0) return;
      toast({
        tone: "bad",
        title: `${plural(failed.length, "run")} could not be evaluated`,
        description: `${failed[0]!.run.name}: ${explainAction(failed[0]!.error)}`,
        cause: "service",
      });
    },
  });
  if (runs.length < 2) return null;
  return (
    <Button
      size="sm"
      needsService
      busy={isPending}
      icon={<Clapperboard aria-hidden className="size-3.5" />}
      title={`Evaluate the ${runs.length} runs without a video`}
      onClick={() => mutate()}
    >
      Evaluate all {runs.length}
    </Button>
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

interface VideoTileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  controller: PlaybackController;
  evaluations: readonly Evaluation[] | undefined;
  error: Error | null;
}

function VideoTile({ run, seriesStyle, controller, evaluations, error }: VideoTileProps) {
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

interface DownloadVideoProps {
  /** Two runs, each with the evaluation whose video is shown. */
  pair: readonly { run: Run; evaluationId: string }[];
}

/** Downloads two videos beside each other as one. */
export function DownloadVideo({ pair }: DownloadVideoProps) {
  const name = `${fileName(...pair.map(({ run }) => run.name))}.mp4`;
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const [first = "", second = ""] = pair.map(
        ({ run, evaluationId }) => `${run.id}/${evaluationId}`,
      );
      return sideBySideVideo(first, second);
    },
    onSuccess: (video: Blob) => download(name, video),
    onError: (error) =>
      toast({
        tone: "bad",
        title: "The video could not be made",
        description: explainAction(error),
        cause: "service",
      }),
  });
  return (
    <Button
      size="sm"
      needsService
      busy={isPending}
      icon={<Download aria-hidden className="size-3.5" />}
      title={pair.map(({ run }) => run.name).join(" beside ")}
      onClick={() => mutate()}
    >
      Download as one video
    </Button>
  );
}
