"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { evaluationPictures, saliencyQuery } from "@/api/policy-pictures";
import type { Evaluation } from "@/api/types";
import { bytes } from "@/lib/number";
import { KeptSeen } from "@/player/reading/kept-seen";

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

/** What the agent saw in a frame of an evaluation, and what mattered in it. */
export function EvaluationSeen({ evaluation, frame, episode, index, onHold }: EvaluationSeenProps) {
  const [asked, setAsked] = useState<{ episode: number; index: number } | null>(null);
  const wanted = asked?.episode === episode && asked.index === index;
  const stack = useQuery({
    ...saliencyQuery(evaluation.run_id, evaluation.id, { episode, step: index }),
    enabled: wanted,
  });
  const { policy_bytes: policy } = evaluation;
  return (
    <KeptSeen
      kept={evaluationPictures(evaluation)}
      frame={frame}
      stack={wanted ? stack : null}
      onAsk={() => {
        onHold();
        setAsked({ episode, index });
      }}
      canAsk={policy !== null}
      note={
        policy === null
          ? "What mattered can be told only as long as the policy that played is kept: with the videos of the newest evaluations."
          : `The policy that played is kept for this, ${bytes(policy)}.`
      }
    >
      {evaluation.has_pictures
        ? "Reading…"
        : "What the agent saw was not kept, or made room for newer evaluations. A single step can be played again."}
    </KeptSeen>
  );
}
