"use client";

import { SkipForward } from "lucide-react";
import { useEffect } from "react";
import type { RecordedSteps } from "@/api/steps";
import { count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { middleOf } from "../player/frames";
import { Player } from "../player/player";
import { usePlaybackController } from "../player/use-playback";
import { actionText } from "../policy-reading/prepare/action";
import { align } from "./alignment";
import type { EpisodeChoice } from "./choices";
import { EpisodeSide } from "./episode-side";
import { firstDifference } from "./first-difference";

export interface Side {
  choice: EpisodeChoice;
  steps: RecordedSteps;
}

/** Two episodes in step, and where their actions part. */
export function EpisodePair({ sides }: { sides: readonly [Side, Side] }) {
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
    ? `They act alike in all ${both}.`
    : `They act alike for ${both}, in which the shorter one ends.`;
}
