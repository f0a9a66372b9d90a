"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { endedSince, isUnderWay, useEvaluate, whyNotYet } from "@/api/evaluate";
import { evaluationsQuery } from "@/api/evaluations";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { suits } from "@/api/run-availability";
import type { CreateEvaluation, RunDetail } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { ViewLayout } from "@/player/agent/views";
import { JudgedEpisodes } from "@/player/judged";
import { usePlaybackController } from "@/player/video/playback-controller";
import { useVideoTrouble } from "@/player/video/player";
import { Notice } from "@/ui/notice";
import { filmOf } from "./chapters";
import { EpisodeList } from "./episode-list";
import { EvaluateForm } from "./evaluate-form";
import { EvaluationFailure } from "./evaluation-failure";
import { EvaluationFindings } from "./evaluation-findings";
import { EvaluationHistory } from "./evaluation-history";
import { EvaluationMeta, evaluationTitle } from "./evaluation-meta";
import { EvaluationPlayer } from "./evaluation-player";
import { EvaluationProgress } from "./evaluation-progress";
import { again } from "./evaluation-request";
import { type Watch, watchIn } from "./judged/watch";
import { NoEvaluation } from "./no-evaluation";
import { PolicyAge } from "./policy-age";

/** The evaluations of a run: the newest, or the one that was chosen, on video and judged; and a form for another. */
export function EvaluationView({ run }: { run: RunDetail }) {
  const evaluations = useQuery(evaluationsQuery(run.id));
  const request = useEvaluate(run.id);
  const [query] = useQueryString();
  const [chosen, setChosen] = useState<Watch | null>(() => watchIn(query));
  const [asked, setAsked] = useState(0);
  const place = useRef<HTMLDivElement>(null);

  const all = evaluations.data;
  const newest = all?.[0];
  const underWay = newest && isUnderWay(newest) ? newest : null;
  const completed = all?.filter(({ status }) => status === "completed") ?? [];
  const shown = completed.find(({ id }) => id === chosen?.evaluation) ?? completed[0];
  const playing = `${shown?.id} ${asked}`;
  const controller = usePlaybackController(playing);
  const client = useQueryClient();
  const played = useVideoTrouble(shown?.video_url ?? null, () => {
    void client.invalidateQueries({ queryKey: keys.evaluations(run.id) });
  });
  const film = shown ? filmOf(shown, played.trouble) : null;
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

  return (
    <div ref={place} className="scroll-mt-18">
      <ViewLayout
        title={evaluationTitle(run, shown)}
        meta={shown && film && <EvaluationMeta {...{ run, evaluation: shown, film, controller }} />}
        stage={
          shown && film ? (
            <EvaluationPlayer
              key={playing}
              {...{ evaluation: shown, film, controller }}
              from={shown.id === chosen?.evaluation ? chosen.frame : null}
              onBroken={played.onError}
              onRetry={played.trouble === "failed" ? played.retry : null}
            />
          ) : (
            <NoEvaluation {...{ run, evaluations }} reason={notYet} underWay={underWay !== null} />
          )
        }
        beside={
          shown?.summary &&
          shown.summary.episodes.length > 0 &&
          film && (
            <EpisodeList
              episodes={shown.summary.episodes}
              playing={film.missing === null ? { controller, chapters: film.chapters } : null}
            />
          )
        }
      >
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
        {shown && film && (
          <EvaluationFindings
            key={`${playing} findings`}
            {...{ run, evaluation: shown, completed, film, controller }}
          />
        )}
        {all && all.length > 1 && (
          <EvaluationHistory evaluations={all} shown={shown?.id} onShow={show} />
        )}
        {completed.length > 0 && <JudgedEpisodes runs={[run]} onWatch={watch} />}
      </ViewLayout>
    </div>
  );
}
