"use client";

import { chapterAt, type PlaybackController, usePlaybackTime } from "@/components/player";
import { Badge } from "@/components/ui/badge";
import type { Evaluation } from "@/lib/api";
import { count } from "@/lib/format";
import type { Film } from "./chapters";

/** Which policy played: "Policy of step 30,208". */
export function evaluationTitle({ checkpoint_step: step, policy }: Evaluation) {
  return (
    <>
      {step === null ? "Policy of an unknown step" : `Policy of step ${count(step)}`}
      {policy === "best" && <Badge>best</Badge>}
    </>
  );
}

interface EvaluationMetaProps {
  evaluation: Evaluation;
  film: Film;
  controller: PlaybackController;
}

/** The episode on the screen, its seed, and who acts. */
export function EvaluationMeta({ evaluation, film, controller }: EvaluationMetaProps) {
  const place = usePlaybackTime(controller, (time) => Math.max(0, chapterAt(film.chapters, time)));
  const episodes = evaluation.summary?.episodes ?? [];
  const seed = episodes[place]?.seed ?? evaluation.seed;
  return (
    <>
      {film.missing === null && episodes.length > 1 && `episode ${place + 1} · `}
      seed {count(seed)}
      {evaluation.checkpoint_step !== null &&
        ` · ${evaluation.deterministic ? "greedy" : "exploring"}`}
    </>
  );
}
