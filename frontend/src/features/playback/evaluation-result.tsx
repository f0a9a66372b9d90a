"use client";

import { useQuery } from "@tanstack/react-query";
import { VideoOff } from "lucide-react";
import dynamic from "next/dynamic";
import { useMemo, useState } from "react";
import { middleOf, Player, VideoTrack, usePlaybackController } from "@/components/player";
import { Boundary } from "@/components/ui/boundary";
import { apiLink, type Evaluation, judgementQuery, type RunDetail } from "@/lib/api";
import { count } from "@/lib/format";
import { chaptersOf } from "./chapters";
import { EpisodeList } from "./episode-list";
import { EvaluationSummary } from "./evaluation-summary";
import { StepsSection } from "./steps/steps-section";
import { whyNoVideo } from "@/lib/evaluations";
import { EpisodePicks } from "./judged/episode-picks";
import { MomentList } from "./judged/moment-list";
import { ticksOf } from "./judged/moments";

const EvaluationThoughts = dynamic(
  () => import("./evaluation-thoughts").then((module) => module.EvaluationThoughts),
  { ssr: false },
);

interface EvaluationResultProps {
  run: RunDetail;
  evaluation: Evaluation;
  /** Frame from which the video plays as soon as it is there; null: it waits at its beginning. */
  from: number | null;
}

/** Player, figures and episodes of one completed evaluation. */
export function EvaluationResult({ run, evaluation, from }: EvaluationResultProps) {
  const controller = usePlaybackController();
  const { data: judgement } = useQuery(judgementQuery(evaluation.run_id, evaluation.id));
  const [broken, setBroken] = useState(false);
  const { summary, video_url: url } = evaluation;
  const video = summary?.video ?? null;
  const chapters = useMemo(
    () => chaptersOf(summary?.episodes ?? [], video?.fps ?? 0),
    [summary, video],
  );
  const ticks = useMemo(
    () => ticksOf(judgement?.moments ?? [], video?.fps ?? 0),
    [judgement, video],
  );
  if (!summary) return null;
  const missing = broken ? "This video is not kept any more" : whyNoVideo(evaluation);
  const fps = missing === null && video ? video.fps : null;
  const playFrom = (seconds: number) => {
    controller.seek(seconds);
    controller.play();
  };
  const name = `the evaluation at step ${count(evaluation.checkpoint_step)}`;

  const showStep = (episode: number, index: number) => {
    const first = summary.episodes[episode]?.first_frame ?? 0;
    controller.pause();
    controller.seek(middleOf(first + index, video?.fps ?? 0));
  };

  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 @3xl:grid-cols-[minmax(0,1fr)_19rem]">
        {missing === null && video && url ? (
          <Player
            label={`Player of ${name}`}
            controller={controller}
            chapters={chapters}
            ticks={ticks}
          >
            <VideoTrack
              controller={controller}
              duration={video.duration}
              fps={video.fps}
              src={apiLink(url)}
              aria-label={`Video of ${name}`}
              style={{ aspectRatio: `${video.width} / ${video.height}` }}
              className="max-h-[70vh] w-full min-w-0 rounded-md border border-line bg-sunken object-contain in-[:fullscreen]:max-h-[calc(100vh-8rem)]"
              onLoadedMetadata={() => from !== null && playFrom(middleOf(from, video.fps))}
              onError={() => setBroken(true)}
            />
          </Player>
        ) : (
          <p className="flex items-center justify-center gap-2 rounded-md border border-dashed border-line-strong px-4 py-8 text-center text-sm text-ink-soft">
            <VideoOff aria-hidden className="size-4 shrink-0" />
            {missing}
          </p>
        )}
        <EpisodeList
          episodes={summary.episodes}
          playing={missing === null ? { controller, chapters } : null}
        />
      </div>
      {judgement && fps !== null && judgement.recorded && (
        <MomentList
          moments={judgement.moments}
          controller={controller}
          chapters={chapters}
          fps={fps}
        />
      )}
      {judgement && summary.episodes.length > 1 && (
        <EpisodePicks
          judgement={judgement}
          episodes={summary.episodes}
          onPlay={fps === null ? null : (index) => playFrom(chapters[index - 1]?.start ?? 0)}
        />
      )}
      {missing === null && video && (
        <Boundary what="What the policy made of it">
          <EvaluationThoughts run={run} evaluation={evaluation} controller={controller} />
        </Boundary>
      )}
      <EvaluationSummary evaluation={evaluation} />
      <StepsSection evaluation={evaluation} onPick={missing === null && video ? showStep : null} />
    </div>
  );
}
