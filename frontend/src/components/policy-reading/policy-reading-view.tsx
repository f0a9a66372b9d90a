"use client";

import type { ReactNode } from "react";
import type { LearnedRewards, StepRecord } from "@/api/types";
import { decimal } from "@/lib/number";
import { EpisodeLine } from "./draw/episode-line";
import { Figure } from "./draw/figure";
import { ObservationFigure } from "./draw/observation-figure";
import { actionText, chosenAction } from "./prepare/action";
import { episodeLines } from "./prepare/episode-lines";
import { prepareObservation } from "./prepare/observation";
import type { DrawnSpace } from "./prepare/space";
import { ReadingFigures } from "./reading-figures";

export interface PolicyReadingViewProps {
  /** What is on the screen. */
  record: StepRecord;
  /** The episode that it belongs to, as far as it is known. */
  records: readonly StepRecord[];
  isOver: boolean;
  spaces: { action: DrawnSpace; observation: DrawnSpace };
  /** Whether the policy takes the action that it prefers. */
  greedy: boolean;
  /** What the policy's expectations are of; null: unknown. */
  learned: LearnedRewards | null;
  /** Where the agent sees pictures: what it saw, as `LiveSeen` or `EvaluationSeen` show it. */
  seen?: ReactNode;
  /** Somebody wants to see a step of this episode. */
  onPick: (index: number) => void;
}

/** What the policy makes of what is on the screen: for a live window, a video or a clip, whichever shows it. */
export function PolicyReadingView({
  record,
  records,
  isOver,
  spaces,
  greedy,
  learned,
  seen,
  onPick,
}: PolicyReadingViewProps) {
  const next = records[record.index + 1 - (records[0]?.index ?? 0)] ?? null;
  const lines = episodeLines(records, { learned, isOver });
  const chosen = chosenAction(record, next, greedy, spaces.action);
  const common = { first: lines.first, grows: !isOver, at: record.index, onPick };
  const { expected, came } = lines;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {seen}
      <ReadingFigures record={record} action={spaces.action} chosen={chosen} />
      {expected && (
        <EpisodeLine
          {...common}
          title={`Expected return, ${expected.name}`}
          note={lines.note}
          height={84}
          lines={[
            { name: "expected", values: expected.values, color: "chart-mean" },
            ...(came
              ? [{ name: "came", values: came, color: "chart-reference", dash: [4, 3] }]
              : []),
          ]}
        />
      )}
      <EpisodeLine
        {...common}
        title="Reward"
        fromZero
        height={44}
        lines={[{ name: "reward", values: lines.rewards, color: "chart-mean" }]}
      />
      <LedHere record={record} action={spaces.action} />
      {!seen && <ObservationFigure picture={prepareObservation(record, spaces.observation)} />}
    </div>
  );
}

function LedHere({ record, action }: { record: StepRecord; action: DrawnSpace }) {
  const words = actionText(record.action, action);
  return (
    <Figure title="What led here">
      <p className="truncate text-xs text-ink-soft tabular-nums">
        {words === null ? (
          "The reset of the environment"
        ) : (
          <>
            {words}
            {record.actor !== "policy" && record.actor && ` (${record.actor})`}, reward{" "}
            {decimal(record.reward)}
          </>
        )}
      </p>
    </Figure>
  );
}
