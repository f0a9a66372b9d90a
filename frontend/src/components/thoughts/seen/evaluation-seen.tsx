"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { type Evaluation, evaluationPictures, saliencyQuery } from "@/lib/api";
import { bytes } from "@/lib/format";
import { sheetOf } from "./paint-seen";
import { SeenFigure } from "./seen-figure";
import { useKeptPicture } from "./use-kept-picture";

interface EvaluationSeenProps {
  evaluation: Evaluation;
  /** Of the video, from 0. */
  frame: number;
  /** Where that is: an episode from 0, and a step of it. */
  episode: number;
  index: number;
  /** Holds the video at this step. */
  onHold: () => void;
}

/** What the agent saw in a frame of an evaluation; on demand the whole stack of the step, with what mattered in it. */
export function EvaluationSeen({ evaluation, frame, episode, index, onHold }: EvaluationSeenProps) {
  const [asked, setAsked] = useState<{ episode: number; index: number } | null>(null);
  const wanted = asked?.episode === episode && asked.index === index;
  const saliency = useQuery({
    ...saliencyQuery(evaluation.run_id, evaluation.id, { episode, step: index }),
    enabled: wanted,
  });
  const newest = useKeptPicture(evaluationPictures(evaluation), frame);
  const found = wanted ? saliency.data : undefined;
  const score = found?.seen.score ?? null;
  const sheet = found ? sheetOf(found.bitmap, found.seen.pictures, score !== null) : newest;
  return (
    <SeenFigure
      sheet={sheet}
      score={score}
      controls={
        <>
          <Button
            size="sm"
            needsService
            disabled={(wanted && !saliency.error) || evaluation.policy_bytes === null}
            onClick={() => {
              onHold();
              setAsked({ episode, index });
              if (saliency.error) void saliency.refetch();
            }}
          >
            {wanted && saliency.isFetching ? "Playing up to this step…" : "What mattered here"}
          </Button>
          <p className="w-full text-2xs text-ink-faint">
            {evaluation.policy_bytes === null
              ? "What mattered can be told only as long as the policy that played is kept: with the videos of the newest evaluations."
              : `The policy that played is kept for this, ${bytes(evaluation.policy_bytes)}.`}
          </p>
          {wanted && saliency.error && (
            <p role="alert" className="w-full text-xs text-bad-strong">
              {saliency.error.message}
            </p>
          )}
        </>
      }
    >
      <p className="text-xs text-ink-soft">
        {evaluation.has_pictures
          ? "Reading…"
          : "What the agent saw was not kept, or made room for newer evaluations. A single step can be played again."}
      </p>
    </SeenFigure>
  );
}
