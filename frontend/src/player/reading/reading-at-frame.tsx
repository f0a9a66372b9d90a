"use client";

import type { ReactNode } from "react";
import type { RecordedSteps } from "@/api/steps";
import type { RunDetail, StepRecord } from "@/api/types";
import { Skeleton } from "@/ui/progress";
import { canBeSliced } from "../value-slice/prepare";
import { ValueSliceFigure } from "../value-slice/value-slice-figure";
import {
  frameAt,
  middleOf,
  type PlaybackController,
  usePlaybackTime,
} from "../video/playback-controller";
import { PolicyReadingView } from "./policy-reading-view";

interface ReadingAtFrameProps {
  run: RunDetail;
  /** The records of the episode that plays; undefined while they load. */
  steps: RecordedSteps | undefined;
  /** Why there are no records, in words; null while they may still arrive. */
  missing: string | null;
  /** Plays the video. */
  controller: PlaybackController;
  fps: number;
  /** Frame of the video at which the episode begins. */
  firstFrame: number;
  greedy: boolean;
  /** Training step of the policy; null: unknown. */
  policyStep: number | null;
  /** Where the agent sees pictures: shows what it saw in a frame of the video, and in its record. */
  seen?: (at: { frame: number; record: StepRecord }) => ReactNode;
}

/** The policy's output for the visible frame of a video: record n belongs to frame n. */
export function ReadingAtFrame({
  run,
  steps,
  missing,
  controller,
  fps,
  firstFrame,
  greedy,
  policyStep,
  seen,
}: ReadingAtFrameProps) {
  const frame = usePlaybackTime(controller, (time) => frameAt(time, fps));
  if (missing !== null || steps?.records.length === 0) {
    return <p className="py-3 text-sm text-ink-soft">{missing ?? "No step was recorded."}</p>;
  }
  const last = (steps?.records.length ?? 0) - 1;
  const record = steps?.records[Math.min(last, Math.max(0, frame - firstFrame))];
  if (!steps || !record) return <Skeleton className="h-80" />;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PolicyReadingView
        record={record}
        records={steps.records}
        isOver={!steps.info.cut}
        spaces={steps.info}
        greedy={greedy}
        learned={run.learned_rewards}
        seen={seesPictures(steps) && seen?.({ frame: firstFrame + record.index, record })}
        onPick={(index) => {
          controller.pause();
          controller.seek(middleOf(firstFrame + index, fps));
        }}
      />
      {canBeSliced(steps.info.observation) && policyStep !== null && (
        <ValueSliceFigure
          runId={run.id}
          step={policyStep}
          space={steps.info.observation}
          record={record}
          records={steps.records}
        />
      )}
    </div>
  );
}

/** Records hold no numbers of pictures, only their hashes. */
function seesPictures({ info: { observation } }: RecordedSteps): boolean {
  return observation.kind === "Box" && observation.numbers === 0;
}
