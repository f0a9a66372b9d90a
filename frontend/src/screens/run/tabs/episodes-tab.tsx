"use client";

import { EvaluationView } from "../playback/evaluation-view";
import type { RunTabProps } from "../run-body";

/** The evaluations of a run, with their episodes. */
export function EpisodesTab({ run }: RunTabProps) {
  return <EvaluationView run={run} />;
}
