"use client";

import type { Evaluation, Run } from "@/api/types";
import { count } from "@/lib/number";
import { type PlaybackController, usePlaybackTime } from "@/player/video/playback-controller";
import { chapterAt } from "@/player/video/shortcuts";
import { Badge } from "@/ui/badge";
import type { Film } from "./chapters";

/** Who played: a person, chance, or a policy, as in "Policy of step 30,208". */
export function evaluationTitle({ actor }: Pick<Run, "actor">, evaluation: Evaluation | undefined) {
  if (actor === "human") return "Played by hand";
  if (actor === "foreign") return "Video of its own program";
  if (actor === "random") return "Random actions";
  if (!evaluation) return "Evaluation";
  const { checkpoint_step: step, policy } = evaluation;
  return (
    <>
      {step === null ? "Policy of an unknown step" : `Policy of step ${count(step)}`}
      {policy === "best" && <Badge>best</Badge>}
    </>
  );
}

interface EvaluationMetaProps {
  run: Pick<Run, "actor">;
  evaluation: Evaluation;
  film: Film;
  controller: PlaybackController;
}

/** The episode on the screen, its seed, and who acts. */
export function EvaluationMeta({ run, evaluation, film, controller }: EvaluationMetaProps) {
  const place = usePlaybackTime(controller, (time) => Math.max(0, chapterAt(film.chapters, time)));
  const episodes = evaluation.summary?.episodes ?? [];
  const seed = episodes[place]?.seed ?? evaluation.seed;
  return (
    <>
      {film.missing === null && episodes.length > 1 && `episode ${place + 1} · `}
      {run.actor === "foreign"
        ? `step ${count(evaluation.checkpoint_step)}`
        : `seed ${count(seed)}${how(evaluation)}`}
    </>
  );
}

function how({ checkpoint_step: step, deterministic }: Evaluation): string {
  return step === null ? "" : ` · ${deterministic ? "greedy" : "exploring"}`;
}
