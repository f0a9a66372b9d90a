"use client";

import { useState } from "react";
import {
  chapterAt,
  frameAt,
  middleOf,
  type PlaybackController,
  usePlaybackTime,
} from "@/components/player";
import { Thoughts } from "@/components/thoughts";
import { canBeSliced, ValueSliceFigure } from "@/components/value-slice";
import { Disclosure } from "@/components/ui/disclosure";
import { type Evaluation, type RunDetail, useEvaluationSteps } from "@/lib/api";
import { chaptersOf } from "./chapters";

interface EvaluationThoughtsProps {
  run: RunDetail;
  evaluation: Evaluation;
  controller: PlaybackController;
}

/** What the policy made of each frame of the video; the records are asked for once somebody opens it. */
export function EvaluationThoughts(props: EvaluationThoughtsProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      summary="What the policy makes of it"
      open={open}
      onToggle={setOpen}
      className="border-t border-line pt-2"
    >
      {open && <AtTheFrame {...props} />}
    </Disclosure>
  );
}

function AtTheFrame({ run, evaluation, controller }: EvaluationThoughtsProps) {
  const episodes = evaluation.summary?.episodes ?? [];
  const fps = evaluation.summary?.video?.fps ?? 0;
  const chapters = chaptersOf(episodes, fps);
  const place = usePlaybackTime(controller, (time) => chapterAt(chapters, time));
  const frame = usePlaybackTime(controller, (time) => frameAt(time, fps));
  const { data, error } = useEvaluationSteps(run.id, evaluation.id, place < 0 ? null : place);
  const first = episodes[place]?.first_frame ?? 0;
  const records = data?.records;
  if (error || records?.length === 0) {
    return <p className="py-3 text-sm text-ink-soft">This evaluation has no step records.</p>;
  }
  const record = records?.[Math.min(records.length - 1, Math.max(0, frame - first))];
  if (!data || !record) return <p className="h-80 py-3 text-sm text-ink-soft">Reading…</p>;
  const { gamma, normalize_rewards: scaled } = run.config?.hyperparameters ?? {};
  return (
    <div className="flex flex-col gap-4 pt-2">
      <Thoughts
        record={record}
        records={data.records}
        isOver={!data.info.cut}
        spaces={data.info}
        greedy={evaluation.deterministic}
        gamma={typeof gamma === "number" ? gamma : null}
        scaledRewards={scaled === true}
        onPick={(index) => {
          controller.pause();
          controller.seek(middleOf(first + index, fps));
        }}
      />
      {canBeSliced(data.info.observation) && evaluation.checkpoint_step !== null && (
        <ValueSliceFigure
          runId={run.id}
          step={evaluation.checkpoint_step}
          space={data.info.observation}
          record={record}
          records={data.records}
        />
      )}
    </div>
  );
}
