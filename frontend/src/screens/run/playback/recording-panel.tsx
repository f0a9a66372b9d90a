"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { Film } from "lucide-react";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { chooseRecording, recordedQuery, recordingKeys, recordingQuery } from "@/api/recording";
import { isActive } from "@/api/runs";
import { loweredText, timeShare } from "@/api/storage";
import type { Detail, Evaluation, RunDetail } from "@/api/types";
import { brief, count, decimal, plural } from "@/lib/number";
import { useOtherFutures } from "@/player/futures/other-futures";
import { middleOf, usePlaybackController } from "@/player/video/playback-controller";
import { useVideoTrouble } from "@/player/video/player";
import { Field } from "@/ui/field";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { filmOf } from "./chapters";
import { EvaluationPlayer } from "./evaluation-player";
import { StepsSection } from "./steps/steps-section";

/** Interval of requests for the cost, which is measured during the run and which no event of the stream contains. */
const WHILE_LIVE_MS = 4_000;

/** The detail at which a run is recorded, what it keeps and costs, and the episodes that the run recorded itself. */
export function RecordingPanel({ run }: { run: RunDetail }) {
  const client = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery({
    ...recordingQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE_MS : (false as const),
  });
  const choice = useMutation({
    mutationFn: (detail: Detail | null) => chooseRecording(run.id, detail),
    onSuccess: (now) => client.setQueryData(recordingKeys.level(run.id), now),
  });
  if (error && !data)
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton className="m-4 h-40" />;
  const { detail, chosen, of_family: family, levels, cost, most_cost: most, lowered } = data;
  const wanted = chosen ?? family;
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Field label="Detail" className="w-56">
          {(control) => (
            <Select
              {...control}
              value={chosen ?? ""}
              disabled={choice.isPending || run.actor === "foreign"}
              onChange={({ target }) => choice.mutate((target.value || null) as Detail | null)}
            >
              <option value="">As its family: {family}</option>
              {levels.map((level) => (
                <option key={level.detail} value={level.detail}>
                  {level.detail}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <p role="status" className="pb-1.5 text-xs text-ink-soft tabular-nums">
          {cost === null
            ? "The cost is not measured yet."
            : `Recording took ${timeShare(cost)} of the time. Above ${timeShare(most)} the detail is lowered.`}
        </p>
      </div>
      {choice.error && <Notice tone="bad" role="alert" title={explainAction(choice.error)} />}
      {lowered && detail !== wanted && (
        <Notice
          tone="warn"
          title={`Recorded at ${detail} detail since step ${count(data.lowered_at)}`}
        >
          <p className="text-ink-soft">{loweredText(lowered)} To retry, select this level again.</p>
        </Notice>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        {levels.map((level) => (
          <div key={level.detail} className="contents">
            <dt className={level.detail === detail ? "font-semibold" : "text-ink-faint"}>
              {level.detail}
            </dt>
            <dd className={level.detail === detail ? undefined : "text-ink-faint"}>
              {level.keeps}
            </dd>
          </div>
        ))}
      </dl>
      <RecordedEpisodes run={run} />
    </div>
  );
}

/** An episode that a run recorded itself: its video, once it is made from the records, and its steps. */
function RecordedEpisode({ evaluation }: { evaluation: Evaluation }) {
  const controller = usePlaybackController(evaluation.video_url ?? "");
  const played = useVideoTrouble(evaluation.video_url);
  const film = filmOf(evaluation, played.trouble);
  const futures = useOtherFutures(evaluation.id);
  const fps = film.video?.fps ?? null;
  const showStep = (episode: number, index: number) => {
    const first = evaluation.summary?.episodes[episode]?.first_frame ?? 0;
    controller.pause();
    controller.seek(middleOf(first + index, fps ?? 0));
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="w-full max-w-md">
        <EvaluationPlayer
          {...{ evaluation, film, controller, futures }}
          from={null}
          onBroken={played.onError}
          onRetry={played.trouble === "failed" ? played.retry : null}
        />
      </div>
      <StepsSection
        evaluation={evaluation}
        onPick={fps === null ? null : showStep}
        onOther={futures.ask}
      />
    </div>
  );
}

/** Episodes that a run recorded itself during training, and the chosen one. */
function RecordedEpisodes({ run }: { run: RunDetail }) {
  const { data } = useQuery({
    ...recordedQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE_MS : (false as const),
  });
  const [chosen, setChosen] = useState<string | null>(null);
  if (!data || data.length === 0) return null;
  const shown = data.find(({ id }) => id === chosen);
  return (
    <section aria-label="Recorded by the run" className="flex min-w-0 flex-col gap-3">
      <h3 className="text-sm font-semibold">
        Recorded during training{" "}
        <span className="text-xs font-normal text-ink-faint tabular-nums">{data.length}</span>
      </h3>
      <ul className="flex max-h-48 flex-col overflow-y-auto rounded-md border border-line p-1">
        {data.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={one.id === chosen}
              onClick={() => setChosen(one.id === chosen ? null : one.id)}
              className={clsx(
                "flex w-full items-center gap-3 rounded-sm px-2 py-1 text-left text-xs tabular-nums -outline-offset-2! max-md:py-2.5",
                one.id === chosen ? "bg-accent-tint" : "hover:bg-sunken",
              )}
            >
              <Line evaluation={one} />
            </button>
          </li>
        ))}
      </ul>
      {shown && <RecordedEpisode key={shown.id} evaluation={shown} />}
    </section>
  );
}

function Line({
  evaluation: { checkpoint_step: step, summary, video_url: url, id },
}: {
  evaluation: Evaluation;
}) {
  return (
    <>
      <span className="w-20 whitespace-nowrap text-ink-soft">
        {step === null ? plural(summary?.episodes.length ?? 0, "episode") : `Step ${brief(step)}`}
      </span>
      <span className="w-28 font-medium whitespace-nowrap">
        {decimal(summary?.episode_return?.mean ?? null)} return
      </span>
      <span className="whitespace-nowrap text-ink-soft">
        {decimal(summary?.episode_length?.mean ?? null)} steps
      </span>
      {url && <Film aria-label={`${id} has a video`} className="ml-auto size-3.5 text-ink-soft" />}
    </>
  );
}
