"use client";

import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { Clapperboard, History, ListVideo } from "lucide-react";
import { useRef, useState } from "react";
import { useRunStill } from "@/api/choices";
import { endedSince, isUnderWay, stepsBehind, useEvaluate, whyNotYet } from "@/api/evaluate";
import { evaluationsQuery } from "@/api/evaluations";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { learns, suits } from "@/api/run-availability";
import type { CreateEvaluation, Evaluation, Run, RunDetail } from "@/api/types";
import { brief, count, decimal, plural } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { ViewLayout } from "@/player/agent/views";
import { useOtherFutures } from "@/player/futures/other-futures";
import { JudgedEpisodes } from "@/player/judged";
import {
  type PlaybackController,
  usePlaybackController,
  usePlaybackTime,
} from "@/player/video/playback-controller";
import { useVideoTrouble } from "@/player/video/player";
import { chapterAt } from "@/player/video/shortcuts";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorState, Notice } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";
import { openTab } from "../tabs/tab-address";
import { type Film, filmOf } from "./chapters";
import { again, EvaluateForm } from "./evaluate-form";
import {
  ComparedFindings,
  EvaluationSummary,
  PlayedFindings,
  RecordedSteps,
} from "./evaluation-findings";
import { EpisodeList, EvaluationHistory } from "./evaluation-list";
import { EvaluationPlayer } from "./evaluation-player";
import { KeptFrames } from "./steps/kept-frames";

/** The evaluation that is shown, and its video. */
export function useShownEvaluation(run: RunDetail, chosen: string | null, asked = 0) {
  const evaluations = useQuery(evaluationsQuery(run.id));
  const all = evaluations.data;
  const newest = all?.[0];
  const underWay = newest && isUnderWay(newest) ? newest : null;
  const completed = all?.filter(({ status }) => status === "completed") ?? [];
  const shown = completed.find(({ id }) => id === chosen) ?? completed[0];
  const playing = `${shown?.id} ${asked}`;
  const controller = usePlaybackController(playing);
  const client = useQueryClient();
  const played = useVideoTrouble(shown?.video_url ?? null, () => {
    void client.invalidateQueries({ queryKey: keys.evaluations(run.id) });
  });
  const film = shown ? filmOf(shown, played.trouble) : null;
  const futures = useOtherFutures(playing);
  const video = { controller, played, film, futures };
  return { evaluations, newest, underWay, completed, shown, playing, ...video };
}

/**
 * The evaluations of a run: the newest, or the one that was chosen, with its player at the left and its episodes at the
 * right; below them what all its episodes say, and every evaluation before.
 */
export function EvaluationView({ run }: { run: RunDetail }) {
  const request = useEvaluate(run.id);
  const [query] = useQueryString();
  const [chosen, setChosen] = useState<Watch | null>(() => watchIn(query));
  const [asked, setAsked] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const { evaluations, newest, underWay, completed, shown, playing, ...watched } =
    useShownEvaluation(run, chosen?.evaluation ?? null, asked);
  const { controller, played, film, futures } = watched;
  const all = evaluations.data;
  const notYet = whyNotYet(run);

  const start = (wanted: CreateEvaluation) => {
    setChosen(null);
    request.mutate(wanted);
  };
  const show = (evaluation: string) => setChosen({ evaluation, frame: null });
  const watch = (wanted: Watch) => {
    setChosen(wanted);
    setAsked(asked + 1);
    place.current?.scrollIntoView({ block: "nearest" });
  };
  const findings = shown &&
    film && { run, evaluation: shown, completed, film, controller, futures };

  return (
    <div ref={place} className="@container flex scroll-mt-28 flex-col gap-4">
      <Card label={episodesLabel(run)} bodyClass="px-4 pt-2 pb-4">
        <div className="flex min-h-9 flex-wrap items-baseline gap-x-2 pt-1 tabular-nums">
          <h2 className="flex min-w-0 items-center gap-2 text-sm font-semibold">
            {evaluationTitle(run, shown)}
          </h2>
          {shown && film && (
            <p className="min-w-0 truncate text-xs text-ink-faint">
              <EvaluationMeta {...{ run, evaluation: shown, film, controller }} />
            </p>
          )}
        </div>
        <div className="grid items-start gap-x-6 gap-y-4 @3xl:grid-cols-[minmax(0,11fr)_minmax(22rem,9fr)]">
          <div className="flex min-w-0 flex-col gap-3">
            {shown && film ? (
              <EvaluationPlayer
                key={playing}
                {...{ evaluation: shown, film, controller, futures }}
                from={shown.id === chosen?.evaluation ? chosen.frame : null}
                onBroken={played.onError}
                onRetry={played.trouble === "failed" ? played.retry : null}
              />
            ) : (
              <NoEvaluation
                {...{ run, evaluations }}
                reason={notYet}
                underWay={underWay !== null}
              />
            )}
            {findings && <PlayedFindings key={`${playing} PlayedFindings`} {...findings} />}
          </div>
          <div className="@container flex min-w-0 flex-col gap-4">
            {underWay && <EvaluationProgress evaluation={underWay} />}
            {newest?.status === "failed" && (
              <EvaluationFailure
                evaluation={newest}
                retrying={request.isPending}
                onRetry={notYet === null ? () => start(again(newest)) : undefined}
              />
            )}
            {request.error && !endedSince(newest, request.submittedAt) && (
              <Notice tone="bad" role="alert" title={explainAction(request.error)} />
            )}
            {shown && notYet && suits("evaluate", run) && (
              <p className="text-sm text-ink-soft">{notYet}</p>
            )}
            {shown && !underWay && <PolicyAge evaluation={shown} newest={completed[0]} run={run} />}
            {suits("evaluate", run) && (
              <EvaluateForm
                busy={request.isPending || underWay !== null}
                blocked={notYet !== null}
                primary={all?.length === 0 && notYet === null}
                run={run}
                onEvaluate={start}
              />
            )}
            {shown?.summary && shown.summary.episodes.length > 0 && film && (
              <EpisodeList
                episodes={shown.summary.episodes}
                playing={film.missing === null ? { controller, chapters: film.chapters } : null}
              />
            )}
            {findings && <ComparedFindings key={`${playing} ComparedFindings`} {...findings} />}
            {shown && <EvaluationSummary evaluation={shown} handedOver={run.actor === "foreign"} />}
          </div>
        </div>
        <div className="mt-4 flex flex-col gap-2 empty:hidden">
          {findings && <RecordedSteps key={`${playing} RecordedSteps`} {...findings} />}
          {all && all.length > 1 && (
            <EvaluationHistory evaluations={all} shown={shown?.id} onShow={show} />
          )}
          {completed.length > 0 && <JudgedEpisodes runs={[run]} onWatch={watch} />}
        </div>
      </Card>
    </div>
  );
}

/** What the card with the episodes of a run is called. */
function episodesLabel({ actor }: Pick<Run, "actor">): string {
  return actor === "human" ? "Played" : actor === "foreign" ? "Videos" : "Evaluation";
}

/** The newest evaluation in brief, where the agent of a run is shown: its video and its return. */
export function EvaluationClip({ run }: { run: RunDetail }) {
  const { evaluations, underWay, shown, playing, ...watched } = useShownEvaluation(run, null);
  const { controller, played, film, futures } = watched;
  const figures = shown?.summary?.episode_return;
  return (
    <ViewLayout
      title={evaluationTitle(run, shown)}
      meta={shown && film && <EvaluationMeta {...{ run, evaluation: shown, film, controller }} />}
      stage={
        shown && film ? (
          <EvaluationPlayer
            key={playing}
            {...{ evaluation: shown, film, controller, futures }}
            from={null}
            onBroken={played.onError}
            onRetry={played.trouble === "failed" ? played.retry : null}
          />
        ) : (
          <NoEvaluation
            {...{ run, evaluations }}
            reason={whyNotYet(run)}
            underWay={underWay !== null}
          />
        )
      }
    >
      {underWay && <EvaluationProgress evaluation={underWay} />}
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-sm text-ink-soft tabular-nums">
        {figures && shown.summary ? (
          <p>
            Return <strong className="font-semibold text-ink">{decimal(figures.mean)}</strong> ±{" "}
            {decimal(figures.std)} in {plural(shown.summary.episodes.length, "episode")}
          </p>
        ) : (
          <span />
        )}
        <Button
          size="sm"
          variant="quiet"
          className="-mr-2"
          onClick={() => openTab("episodes")}
          icon={<ListVideo aria-hidden className="size-3.5" />}
        >
          All episodes
        </Button>
      </div>
    </ViewLayout>
  );
}

interface EvaluationFailureProps {
  evaluation: Evaluation;
  retrying: boolean;
  /** Left out if there is nothing to evaluate. */
  onRetry?: () => void;
}

function EvaluationFailure({ evaluation, retrying, onRetry }: EvaluationFailureProps) {
  return (
    <Notice tone="bad" role="alert" title="The evaluation failed">
      <p className="break-words text-ink-soft">{evaluation.cause ?? "No cause was given."}</p>
      {evaluation.has_frames && (
        <div className="mt-2">
          <KeptFrames evaluation={evaluation} onPick={null} />
        </div>
      )}
      {onRetry && (
        <Button size="sm" className="mt-2" needsService busy={retrying} onClick={onRetry}>
          Evaluate again
        </Button>
      )}
    </Notice>
  );
}

/** Who played: a person, chance, or a policy, as in "Policy of step 30,208". */
function evaluationTitle({ actor }: Pick<Run, "actor">, evaluation: Evaluation | undefined) {
  if (actor === "human") return "Played by hand";
  if (actor === "foreign") return "Video of its own program";
  if (actor === "random") return "Random actions";
  if (!evaluation) return "Evaluation";
  const { checkpoint_step: step, policy } = evaluation;
  return (
    <>
      {step === null ? "Policy of an unknown step" : `Policy of step ${count(step)}`}
      {policy === "best" && <Badge>best</Badge>}
    </>
  );
}

interface EvaluationMetaProps {
  run: Pick<Run, "actor">;
  evaluation: Evaluation;
  film: Film;
  controller: PlaybackController;
}

/** The episode on the screen, its seed, and who acts. */
function EvaluationMeta({ run, evaluation, film, controller }: EvaluationMetaProps) {
  const place = usePlaybackTime(controller, (time) => Math.max(0, chapterAt(film.chapters, time)));
  const episodes = evaluation.summary?.episodes ?? [];
  const seed = episodes[place]?.seed ?? evaluation.seed;
  return (
    <>
      {film.missing === null && episodes.length > 1 && `episode ${place + 1} · `}
      {run.actor === "foreign"
        ? `step ${count(evaluation.checkpoint_step)}`
        : `seed ${count(seed)}${how(evaluation)}`}
    </>
  );
}

function how({ checkpoint_step: step, deterministic }: Evaluation): string {
  return step === null ? "" : ` · ${deterministic ? "greedy" : "exploring"}`;
}

/** An evaluation that waits or plays its episodes. */
function EvaluationProgress({ evaluation }: { evaluation: Evaluation }) {
  const { status, episodes, episodes_done: done } = evaluation;
  const queued = status === "queued";
  const text = queued
    ? "Waiting to start"
    : done >= episodes
      ? "Finishing the video"
      : `Episode ${done + 1} of ${episodes}`;
  return (
    <div role="status" className="rounded-md border border-line bg-sunken px-3 py-2.5 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3 tabular-nums">
        {text}
        <span className="text-ink-faint">
          {queued ? `queued · ${plural(episodes, "episode")}` : "recording"}
        </span>
      </p>
      <Progress
        share={episodes === 0 ? 0 : done / episodes}
        label="Evaluation progress"
        valueText={text}
        className="mt-2"
      />
      {queued && (
        <p className="mt-2 text-xs text-ink-faint">
          It starts as soon as there is a checkpoint and a free slot.
        </p>
      )}
    </div>
  );
}

interface NoEvaluationProps {
  run: RunDetail;
  evaluations: UseQueryResult<Evaluation[]>;
  /** Why there is nothing to evaluate yet; null when there is. */
  reason: string | null;
  underWay: boolean;
}

const STAYS_THERE =
  "Its policy stays with the program that writes this run, so it cannot be played here.";

/** The stage while no evaluation can be shown. */
function NoEvaluation({ run, evaluations, reason, underWay }: NoEvaluationProps) {
  const { data: all, error, refetch, isFetching } = evaluations;
  const corner = useCornerWindow(false);
  const stillUrl = useRunStill(run);
  const none = all !== undefined && !underWay;
  return (
    <Stage label="Evaluation" caption="" corner={corner} stillUrl={all ? stillUrl : null}>
      {error && !all ? (
        <StageNote>
          <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
        </StageNote>
      ) : !all ? (
        <Skeleton className="absolute inset-0 rounded-none" />
      ) : (
        none && (
          <StageNote>
            <Clapperboard aria-hidden className="size-5 text-ink-faint" />
            <p className="font-semibold text-ink">
              {run.actor === "foreign" ? "No video" : "No evaluation yet"}
            </p>
            <p className="max-w-72">
              {(run.actor === "foreign" ? STAYS_THERE : reason) ??
                (learns(run)
                  ? "Run one to see what the policy does: a few episodes without exploration, on video."
                  : "Run one to see what random actions achieve: a few episodes, on video.")}
            </p>
          </StageNote>
        )
      )}
    </Stage>
  );
}

interface PolicyAgeProps {
  /** The one on show. */
  evaluation: Evaluation;
  /** The newest of the run. */
  newest: Evaluation | undefined;
  run: RunDetail;
}

/** Says that the policy on show is not the newest of its kind any more. */
function PolicyAge({ evaluation, newest, run }: PolicyAgeProps) {
  const behind = stepsBehind(evaluation, run);
  if (behind === null) return null;
  const kind = evaluation.policy === "best" ? "A better policy was kept" : "The policy has trained";
  const isShownByNewest =
    newest?.policy === evaluation.policy && newest && stepsBehind(newest, run) === null;
  return (
    <p role="status" className="flex items-center gap-2 text-xs text-ink-soft">
      <History aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      This shows the policy of step {brief(evaluation.checkpoint_step)}. {kind} {brief(behind)}{" "}
      steps later;{" "}
      {isShownByNewest ? "the newest evaluation shows it." : "evaluate again to see it."}
    </p>
  );
}

/** The evaluation that the user wants to see, and the frame from which its video plays; null: it waits. */
interface Watch {
  evaluation: string;
  frame: number | null;
}

/** What the address of the page asks for (`?evaluation=eval_…&frame=30`). */
function watchIn(query: URLSearchParams): Watch | null {
  const evaluation = query.get("evaluation");
  const frame = Number.parseInt(query.get("frame") ?? "", 10);
  return evaluation ? { evaluation, frame: frame >= 0 ? frame : null } : null;
}
