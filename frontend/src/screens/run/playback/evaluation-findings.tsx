"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { hasEpisodes } from "@/api/evaluate";
import { judgementQuery } from "@/api/evaluations";
import type { Evaluation, KeyMoment, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { duration, elapsed, moment } from "@/lib/format-time";
import { brief, count, decimal, plural } from "@/lib/number";
import type { OtherFutures } from "@/player/futures/other-futures";
import { canBeShown, choicesOf } from "@/player/side-by-side/choices";
import {
  middleOf,
  type PlaybackController,
  usePlaybackTime,
} from "@/player/video/playback-controller";
import { type Chapter, chapterAt } from "@/player/video/shortcuts";
import { Boundary } from "@/ui/boundary";
import { Stat } from "@/ui/card";
import { type Film, MEANINGS, momentAmount, momentName } from "./chapters";
import { EpisodePicks } from "./episode-picks";
import { StepsSection } from "./steps/steps-section";

const EvaluationReading = dynamic(
  withRetry(() => import("./evaluation-reading").then((module) => module.EvaluationReading)),
  { ssr: false },
);
const SideBySideDialog = dynamic(
  withRetry(() =>
    import("@/player/side-by-side/side-by-side-dialog").then((module) => module.SideBySideDialog),
  ),
  { ssr: false },
);

interface FindingsProps {
  run: RunDetail;
  evaluation: Evaluation;
  /** All completed evaluations of the run, whose episodes can be shown beside those of this one. */
  completed: readonly Evaluation[];
  film: Film;
  controller: PlaybackController;
  futures: OtherFutures;
}

function useJudgement(evaluation: Evaluation) {
  const { data } = useQuery({
    ...judgementQuery(evaluation.run_id, evaluation.id),
    enabled: hasEpisodes(evaluation),
  });
  return data;
}

/** The parts below the player: key moments of the episode that plays, and the output of the policy. */
export function PlayedFindings({ run, evaluation, film, controller }: FindingsProps) {
  const judgement = useJudgement(evaluation);
  const fps = film.video?.fps ?? null;
  if (!evaluation.summary || fps === null) return null;
  return (
    <>
      {judgement?.recorded && (
        <MomentList moments={judgement.moments} chapters={film.chapters} {...{ controller, fps }} />
      )}
      {run.actor !== "foreign" && (
        <Boundary what="The policy output">
          <EvaluationReading {...{ run, evaluation, controller }} />
        </Boundary>
      )}
    </>
  );
}

/** Which episodes are worth watching, alone or beside each other. */
export function ComparedFindings({ evaluation, completed, film, controller }: FindingsProps) {
  const [pair, setPair] = useState<readonly [string, string] | null>(null);
  const judgement = useJudgement(evaluation);
  const { summary } = evaluation;
  if (!summary || !judgement || summary.episodes.length < 2) return null;
  const playEpisode = (index: number) => {
    controller.seek(film.chapters[index - 1]?.start ?? 0);
    controller.play();
  };
  return (
    <>
      <EpisodePicks
        judgement={judgement}
        episodes={summary.episodes}
        onPlay={film.video ? playEpisode : null}
        onCompare={
          film.missing === null && canBeShown(evaluation)
            ? (one, two) => {
                controller.pause();
                setPair([`${evaluation.id} ${one}`, `${evaluation.id} ${two}`]);
              }
            : null
        }
      />
      {pair && (
        <SideBySideDialog
          choices={choicesOf(completed.map((one) => ({ evaluation: one, name: nameOf(one) })))}
          first={pair}
          onClose={() => setPair(null)}
        />
      )}
    </>
  );
}

/** The step records of the evaluation. */
export function RecordedSteps({ run, evaluation, film, controller, futures }: FindingsProps) {
  const { summary } = evaluation;
  if (!summary || run.actor === "foreign") return null;
  const fps = film.video?.fps ?? null;
  const showStep = (episode: number, index: number) => {
    const first = summary.episodes[episode]?.first_frame ?? 0;
    controller.pause();
    controller.seek(middleOf(first + index, fps ?? 0));
  };
  return (
    <StepsSection
      evaluation={evaluation}
      onPick={fps === null ? null : showStep}
      onOther={futures.ask}
    />
  );
}

function nameOf({ checkpoint_step: step }: Evaluation): string {
  return `Step ${count(step)}`;
}

interface EvaluationSummaryProps {
  evaluation: Evaluation;
  /** Whether it is a video of the user's own program, about which only the program's data is known. */
  handedOver: boolean;
}

/** The figures of one completed evaluation. */
export function EvaluationSummary({ evaluation, handedOver }: EvaluationSummaryProps) {
  const { summary, checkpoint_step: step } = evaluation;
  if (!summary) return null;
  return (
    <div className="flex flex-col gap-3">
      <Figures {...{ evaluation, handedOver }} />
      {evaluation.short_of_solved && (
        <p className="max-w-prose text-sm text-ink-soft">{evaluation.short_of_solved}</p>
      )}
      <p className="text-xs text-ink-faint">
        <time dateTime={evaluation.created_at}>{moment(evaluation.created_at)}</time>
        {handedOver
          ? ` · handed over at step ${count(step)}`
          : ` · ${
              step === null
                ? "played by hand"
                : `${evaluation.deterministic ? "greedy" : "sampled"} actions`
            } · seed ${count(evaluation.seed)}`}
      </p>
    </div>
  );
}

function Figures({ evaluation, handedOver }: EvaluationSummaryProps) {
  const { summary, checkpoint_step: step, policy } = evaluation;
  if (!summary?.episode_return || !summary.episode_length) return null;
  const { episode_return, episode_length, terminated, truncated } = summary;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 @sm:grid-cols-3 @4xl:grid-cols-6">
      <Stat label="Mean return" note={range(episode_return)}>
        {decimal(episode_return.mean)}{" "}
        <span className="text-sm font-normal text-ink-soft">± {decimal(episode_return.std)}</span>
      </Stat>
      <Stat label="Mean length" note={`± ${decimal(episode_length.std)} steps`}>
        {decimal(episode_length.mean)}
      </Stat>
      {handedOver ? (
        <Stat label="Episodes">{count(summary.episodes.length)}</Stat>
      ) : (
        <>
          <Stat label="Terminated" note="in a terminal state">
            {count(terminated)}
          </Stat>
          <Stat label="Truncated" note="by the time limit">
            {count(truncated)}
          </Stat>
        </>
      )}
      {!handedOver && step !== null && (
        <Stat
          label="Policy"
          note={policy === "best" ? "the best at that time" : "the latest at that time"}
        >
          <span title={`step ${count(step)}`}>step {brief(step)}</span>
        </Stat>
      )}
      {!handedOver && (
        <Stat label="Took" note={plural(summary.episodes.length, "episode")}>
          {duration(elapsed(evaluation, 0) ?? 0)}
        </Stat>
      )}
    </dl>
  );
}

function range({ min, max }: { min: number; max: number }): string {
  return `${decimal(min)} to ${decimal(max)}`;
}

interface MomentListProps {
  moments: readonly KeyMoment[];
  controller: PlaybackController;
  /** One an episode. */
  chapters: readonly Chapter[];
  fps: number;
}

/** The key moments of the episode that plays; each seeks the video. */
function MomentList({ moments, controller, chapters, fps }: MomentListProps) {
  const episode = usePlaybackTime(controller, (time) => chapterAt(chapters, time)) + 1;
  const own = moments.filter((moment) => moment.episode === episode);
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="text-xs text-ink-faint">Key moments of episode {episode}</h3>
      {own.length === 0 ? (
        <p className="text-xs text-ink-soft">Nothing stands out in this episode.</p>
      ) : (
        <ul aria-label={`Key moments of episode ${episode}`} className="flex flex-wrap gap-1.5">
          {own.map((moment) => (
            <li key={moment.kind}>
              <button
                type="button"
                title={MEANINGS[moment.kind]}
                onClick={() => {
                  controller.pause();
                  controller.seek(middleOf(moment.frame, fps));
                }}
                className="flex min-h-7 items-baseline gap-1.5 rounded-md border border-line bg-raised px-2 py-1 text-xs tabular-nums transition-colors hover:border-control-line hover:bg-sunken max-md:min-h-10 max-md:items-center"
              >
                <span className="font-medium">{momentName(moment)}</span>
                <span className="text-ink-soft">{momentAmount(moment)}</span>
                <span className="text-ink-faint">step {count(moment.step)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
