"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Clapperboard, VideoOff } from "lucide-react";
import { useEffect, useMemo } from "react";
import { hasEpisodes } from "@/api/evaluate";
import { judgementQuery } from "@/api/evaluations";
import { apiLink, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { filmAgain, recordingKeys } from "@/api/recording";
import { verificationQuery } from "@/api/steps";
import type { Evaluation } from "@/api/types";
import { count } from "@/lib/number";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { OtherFuture, type OtherFutures } from "@/player/futures/other-futures";
import { stepAt } from "@/player/futures/prepare";
import {
  frameAt,
  middleOf,
  type PlaybackController,
  usePlaybackState,
} from "@/player/video/playback-controller";
import { Player, type Point, VideoTrack } from "@/player/video/player";
import { Button } from "@/ui/button";
import { type Film, ticksOf } from "./chapters";
import { verificationText } from "./steps/kept-frames";

interface EvaluationPlayerProps {
  evaluation: Evaluation;
  film: Film;
  controller: PlaybackController;
  /** Frame from which the video plays as soon as it is loaded; null: it waits at its start. */
  from: number | null;
  /** The video element could not play. */
  onBroken: () => void;
  /** Loads the video again; null if there is no file. */
  onRetry: (() => void) | null;
  /** The requested other future of its recorded steps. */
  futures: OtherFutures;
}

/** The player of an evaluation, and in its place the future after another action at one of its steps. */
export function EvaluationPlayer(props: EvaluationPlayerProps) {
  const { evaluation, film, controller, futures } = props;
  const { run_id, id: evaluation_id, summary, has_steps } = evaluation;
  const episodes = summary?.episodes ?? [];
  const { video, url } = film;
  const askHere = (point: Point) => {
    controller.pause();
    const at = stepAt(episodes, frameAt(controller.time.get(), video?.fps ?? 0));
    if (at) futures.ask(at, point);
  };
  return (
    <OtherFuture
      source={{ run_id, evaluation_id }}
      futures={futures}
      recorded={video && url ? { url, fps: video.fps, episodes } : null}
    >
      <RecordedPlayer {...props} onOther={has_steps ? askHere : undefined} />
    </OtherFuture>
  );
}

interface RecordedPlayerProps extends Omit<EvaluationPlayerProps, "futures"> {
  onOther: ((point: Point) => void) | undefined;
}

/** The video of an evaluation on the stage, with its key moments on the time bar. */
function RecordedPlayer({
  evaluation,
  film,
  controller,
  from,
  onBroken,
  onRetry,
  onOther,
}: RecordedPlayerProps) {
  const { playing } = usePlaybackState(controller);
  const corner = useCornerWindow(playing);
  const { data: judgement } = useQuery({
    ...judgementQuery(evaluation.run_id, evaluation.id),
    enabled: hasEpisodes(evaluation),
  });
  const fps = film.video?.fps ?? 0;
  const ticks = useMemo(() => ticksOf(judgement?.moments ?? [], fps), [judgement, fps]);
  const step = count(evaluation.checkpoint_step);
  const name = `the evaluation at step ${step}`;
  const caption = evaluation.checkpoint_step === null ? "" : `Policy of step ${step}`;
  const stage = { label: "Evaluation", caption, corner, stillUrl: null };
  if (film.missing !== null) {
    return (
      <Stage {...stage}>
        <StageNote>
          <VideoOff aria-hidden className="size-5 text-ink-faint" />
          <p className="max-w-72">{film.missing}</p>
          {onRetry ? (
            <Button size="sm" onClick={onRetry}>
              Try again
            </Button>
          ) : (
            evaluation.has_steps && <FilmAgain evaluation={evaluation} />
          )}
        </StageNote>
      </Stage>
    );
  }
  const { video, url, chapters } = film;
  return (
    <Player label={`Player of ${name}`} {...{ controller, chapters, ticks }} onOther={onOther}>
      <Stage {...stage}>
        <VideoTrack
          controller={controller}
          duration={video.duration}
          fps={video.fps}
          src={apiLink(url)}
          aria-label={`Video of ${name}`}
          className="absolute inset-0 size-full object-contain"
          onLoadedMetadata={() => {
            if (from === null) return;
            controller.seek(middleOf(from, video.fps));
            controller.play();
          }}
          onError={onBroken}
        />
      </Stage>
    </Player>
  );
}

/** A button that creates the video of an evaluation from its records, if there is no video. */
function FilmAgain({ evaluation }: { evaluation: Evaluation }) {
  const { run_id: run, id, summary } = evaluation;
  const client = useQueryClient();
  const { data: found } = useQuery(verificationQuery(run, id));
  const request = useMutation({
    mutationFn: () => filmAgain(run, id),
    onSuccess: (asked) => client.setQueryData(keys.verification(run, id), asked),
  });
  const mine = found?.film ? found : null;
  const busy = request.isPending || mine?.status === "running";
  const made = mine?.identical === true;

  // External system: the service, whose list has the video once it is made.
  useEffect(() => {
    if (!made) return;
    void client.invalidateQueries({ queryKey: keys.evaluations(run) });
    void client.invalidateQueries({ queryKey: recordingKeys.episodes(run) });
  }, [client, made, run]);

  return (
    <>
      <Button
        size="sm"
        needsService
        busy={busy}
        icon={<Clapperboard aria-hidden className="size-3.5" />}
        title="Play the recorded actions again, compare every record, and film it"
        onClick={() => request.mutate()}
      >
        {summary?.video ? "Film it again" : "Film it"}
      </Button>
      <p role="status" className="text-xs text-ink-soft tabular-nums">
        {request.error
          ? explainAction(request.error)
          : busy
            ? `${count(mine?.steps ?? 0)} of ${count(summary?.steps?.rows)} frames`
            : mine && !made
              ? verificationText(mine)
              : null}
      </p>
    </>
  );
}
