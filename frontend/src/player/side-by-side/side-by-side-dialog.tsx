"use client";

/** Two episodes side by side, played in step from shortly before their actions first differ. */

import clsx from "clsx";
import { SkipForward } from "lucide-react";
import { useEffect, useState } from "react";
import { apiLink, explainAction } from "@/api/http";
import { type RecordedSteps, useEvaluationSteps } from "@/api/steps";
import type { StepRecord } from "@/api/types";
import { count, decimal, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { actionText } from "../reading/space";
import {
  frameAt,
  middleOf,
  partOf,
  type PlaybackController,
  usePlaybackController,
  usePlaybackTime,
} from "../video/playback-controller";
import { Player, TROUBLE_TEXT, useVideoTrouble, VideoTrack } from "../video/player";
import { besides, choiceName, type EpisodeChoice } from "./choices";

interface SideBySideDialogProps {
  /** Every episode that can be shown. */
  choices: readonly EpisodeChoice[];
  /** Ids of the two that are shown first. */
  first: readonly [string, string];
  onClose: () => void;
}

/** Chooses two episodes and plays them side by side. */
export function SideBySideDialog({ choices, first, onClose }: SideBySideDialogProps) {
  const [[oneId, twoId], setIds] = useState<readonly [string, string]>(first);
  const one = choices.find(({ id }) => id === oneId) ?? choices[0];
  const others = one ? besides(one, choices) : [];
  const two = others.find(({ id }) => id === twoId) ?? others[0];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title="Side by side"
      description="Both play in step from shortly before their actions first differ."
    >
      {one && two ? (
        <div className="flex flex-col gap-4">
          <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
            <EpisodeSelect
              label="First episode"
              choices={choices}
              value={one.id}
              onChange={(id) => setIds([id, two.id])}
            />
            <EpisodeSelect
              label="Second episode"
              choices={others}
              value={two.id}
              onChange={(id) => setIds([one.id, id])}
            />
          </div>
          <Read key={`${one.id} ${two.id}`} one={one} two={two} />
        </div>
      ) : (
        <p className="py-6 text-sm text-ink-soft">
          There is no second episode to compare with. It must be from the same evaluation, or from
          another evaluation on the same seed, and have a video and step records.
        </p>
      )}
    </Dialog>
  );
}

function Read({ one, two }: { one: EpisodeChoice; two: EpisodeChoice }) {
  const [first, second] = [useRecords(one), useRecords(two)];
  const error = first.error ?? second.error;
  if (error) {
    return (
      <p role="alert" className="py-6 text-sm text-bad-strong">
        {explainAction(error)}
      </p>
    );
  }
  if (!first.data || !second.data) {
    return (
      <div
        role="status"
        aria-label="Reading the episodes"
        className="grid grid-cols-2 gap-2 sm:gap-4"
      >
        <Skeleton className="aspect-3/2" />
        <Skeleton className="aspect-3/2" />
      </div>
    );
  }
  return (
    <EpisodePair
      sides={[
        { choice: one, steps: first.data },
        { choice: two, steps: second.data },
      ]}
    />
  );
}

function useRecords({ evaluation, episode }: EpisodeChoice) {
  return useEvaluationSteps(evaluation.run_id, evaluation.id, episode.index - 1);
}

interface EpisodeSelectProps {
  label: string;
  choices: readonly EpisodeChoice[];
  /** Id of the chosen one. */
  value: string;
  onChange: (id: string) => void;
}

/** Chooses one of some episodes, by evaluation. */
function EpisodeSelect({ label, choices, value, onChange }: EpisodeSelectProps) {
  const evaluations = [...new Set(choices.map(({ evaluation }) => evaluation.id))];
  return (
    <Select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {evaluations.map((id) => {
        const own = choices.filter(({ evaluation }) => evaluation.id === id);
        return (
          <optgroup key={id} label={own[0]?.name}>
            {own.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choiceName(choice)}
              </option>
            ))}
          </optgroup>
        );
      })}
    </Select>
  );
}

interface Side {
  choice: EpisodeChoice;
  steps: RecordedSteps;
}

/** Two episodes in step, and where their actions part. */
function EpisodePair({ sides }: { sides: readonly [Side, Side] }) {
  const controller = usePlaybackController();
  const [one, two] = sides;
  const fps = one.choice.evaluation.summary?.video?.fps ?? 0;
  const continuous = one.steps.info.action.kind === "Box";
  const difference = firstDifference(one.steps.records, two.steps.records, continuous);
  const { from, decision } = align(difference, fps);
  const mark = decision === null ? null : middleOf(decision - from, fps);
  // External system: the videos, which begin together.
  useEffect(() => {
    controller.seek(0);
    controller.play();
  }, [controller]);
  const showMark = () => {
    controller.pause();
    controller.seek(mark ?? 0);
  };
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        {difference === null ? (
          sentenceOfAlike(sides)
        ) : (
          <>
            <span>
              {difference > 1
                ? `Their first ${plural(difference - 1, "action")} ${difference === 2 ? "is" : "are"} alike. `
                : ""}
              In step {count(difference)} one does{" "}
              <strong className="font-semibold">{wordsOf(one, difference)}</strong>, the other{" "}
              <strong className="font-semibold">{wordsOf(two, difference)}</strong>.
            </span>
            <Button
              size="sm"
              icon={<SkipForward aria-hidden className="size-3.5" />}
              onClick={showMark}
            >
              Show this step
            </Button>
          </>
        )}
      </p>
      <Player
        label="Player of both episodes"
        controller={controller}
        chapters={NO_CHAPTERS}
        ticks={mark === null ? undefined : [{ label: "first difference", start: mark }]}
      >
        <div className="grid grid-cols-2 gap-2 in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow sm:gap-4">
          {sides.map((side) => (
            <EpisodeSide key={side.choice.id} {...{ side, controller, from, decision }} />
          ))}
        </div>
      </Player>
    </div>
  );
}

const NO_CHAPTERS = [] as const;

function wordsOf({ steps }: Side, index: number): string {
  return actionText(steps.records[index]?.action ?? null, steps.info.action) ?? "nothing";
}

function sentenceOfAlike([one, two]: readonly [Side, Side]): string {
  const [first, second] = [one.steps.records.length - 1, two.steps.records.length - 1];
  const both = plural(Math.min(first, second), "step");
  return first === second
    ? `Both choose the same actions in all ${both}.`
    : `They act alike for ${both}, in which the shorter one ends.`;
}

interface EpisodeSideProps {
  side: Side;
  controller: PlaybackController;
  /** Step at which playing begins. */
  from: number;
  /** Step on which the episodes choose different actions for the first time; null: they never do. */
  decision: number | null;
}

/** One episode of a pair: its picture, and below it the step and the action. */
function EpisodeSide({ side: { choice, steps }, controller, from, decision }: EpisodeSideProps) {
  const { evaluation, episode } = choice;
  const video = evaluation.summary?.video;
  const fps = video?.fps ?? 0;
  const { start, duration } = partOf(episode, from, fps);
  const last = steps.records.length - 1;
  const step = usePlaybackTime(controller, (time) => Math.min(last, from + frameAt(time, fps)));
  const played = useVideoTrouble(evaluation.video_url);
  const record = steps.records[step];
  const next = steps.records[step + 1];
  const words = next ? actionText(next.action, steps.info.action) : null;
  const parts = decision !== null && step >= decision;
  return (
    <figure aria-label={choiceName(choice)} className="flex min-w-0 flex-col gap-1.5">
      <div className="relative aspect-3/2 overflow-hidden rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow">
        {played.trouble ? (
          <div
            role="alert"
            className="absolute inset-0 grid place-content-center justify-items-center gap-3 p-4 text-center text-sm text-ink-soft"
          >
            <p>{TROUBLE_TEXT[played.trouble]}</p>
            {played.trouble === "failed" && (
              <Button size="sm" onClick={played.retry}>
                Try again
              </Button>
            )}
          </div>
        ) : (
          evaluation.video_url && (
            <VideoTrack
              {...{ controller, duration, fps, start }}
              src={apiLink(evaluation.video_url)}
              aria-label={`Video of ${choiceName(choice)}`}
              className="absolute inset-0 size-full object-contain"
              onError={played.onError}
            />
          )
        )}
        {step === last && (
          <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
            ended
          </span>
        )}
      </div>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs tabular-nums">
        <span
          className={clsx(
            "min-w-0 truncate rounded-full px-2 py-0.5 font-medium",
            step === decision
              ? "bg-accent text-accent-ink"
              : parts
                ? "bg-accent-tint text-accent-strong"
                : "bg-rest-tint text-ink-soft",
          )}
        >
          {words ?? "no action"}
        </span>
        <span className="min-w-0 text-ink-faint">
          step {count(step)} · return {decimal(record?.episode_return)} · seed {count(episode.seed)}
        </span>
      </figcaption>
    </figure>
  );
}

type Action = StepRecord["action"];

/** Actions of numbers are alike within this share of the range that each component had in both episodes. */
const ALIKE = 0.05;

/**
 * Index of the first step record of two episodes whose actions differ; null if they act alike as long as both go on.
 * `continuous`: actions are numbers with decimals, which hardly ever are the same.
 */
export function firstDifference(
  one: readonly StepRecord[],
  two: readonly StepRecord[],
  continuous: boolean,
): number | null {
  const alike = continuous ? closeWithin(rangesOf([...one, ...two])) : same;
  const both = Math.min(one.length, two.length);
  for (let index = 1; index < both; index += 1) {
    if (!alike(one[index]!.action, two[index]!.action)) return index;
  }
  return null;
}

function same(a: Action, b: Action): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function closeWithin(ranges: readonly number[]) {
  return (a: Action, b: Action) => {
    const [x, y] = [numbersOf(a), numbersOf(b)];
    return ranges.every((range, i) => Math.abs((x[i] ?? 0) - (y[i] ?? 0)) <= ALIKE * range);
  };
}

/** The difference between the greatest and the least number of each component. */
function rangesOf(records: readonly StepRecord[]): number[] {
  const low: number[] = [];
  const high: number[] = [];
  for (const { action } of records) {
    numbersOf(action).forEach((value, i) => {
      low[i] = Math.min(low[i] ?? value, value);
      high[i] = Math.max(high[i] ?? value, value);
    });
  }
  return high.map((value, i) => value - low[i]!);
}

function numbersOf(action: Action): number[] {
  const values = Array.isArray(action) ? action.flat(Infinity as 1) : [action];
  return values.filter((value): value is number => typeof value === "number");
}

/** Seconds that are shown before the first difference. */
const LEAD_SECONDS = 1;

/** How two episodes play so that they reach their first difference at the same time. */
export interface Alignment {
  /** Step of both episodes at which playing begins. */
  from: number;
  /** Step whose state both still share, and on which they choose different actions; null: they act alike. */
  decision: number | null;
}

/** `difference`: index of the first record whose action differs, or null. */
export function align(difference: number | null, fps: number): Alignment {
  if (difference === null) return { from: 0, decision: null };
  const decision = difference - 1;
  return { from: Math.max(0, decision - Math.round(LEAD_SECONDS * fps)), decision };
}
