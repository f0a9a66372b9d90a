import type { ComponentType, ReactNode } from "react";
import type { Preset } from "@/api/types";

/** The anchor for hints without a failure mode of their own in the guide. */
export const FAILURES_ID = "failure-modes";

export interface Guide {
  id: string;
  /** The algorithm in one sentence. */
  idea: string;
  optimises: Passage;
  data: Passage;
  knobs: readonly Knob[];
  failures: readonly Failure[];
  picture: PictureInfo;
  /** Numbers that follow from a preset's hyperparameters, for instance how many updates a run makes. */
  facts: (values: Values, totalTimesteps: number) => Fact[];
  paper: { label: string; href: string };
}

export interface Passage {
  /** The main point, in one sentence. */
  lead: ReactNode;
  formula?: ReactNode;
  points: readonly ReactNode[];
}

export interface Knob {
  /** Name of the hyperparameter, as in the run's config. */
  name: string;
  does: string;
  more: string;
  less: string;
}

export interface Failure {
  /** The hint's id, which serves as the anchor. */
  id: string;
  title: string;
  curve: CurveShape;
  /** Name of the metric that shows the failure. */
  metric: string;
  see: string;
  why: string;
  try: string;
}

export type CurveShape =
  "collapse" | "spikes" | "flat" | "still" | "rising" | "diverge" | "high" | "fallback" | "noise";

export interface PictureInfo {
  title: string;
  /** What the reader can change in the picture, and what to look for. */
  invitation: string;
  Picture: ComponentType<PictureProps>;
}

/** Settings to show: those of a preset, or of a run. */
export type GuideSettings = Pick<
  Preset,
  "id" | "title" | "summary" | "tradeoff" | "total_timesteps" | "hyperparameters"
>;

export interface PictureProps {
  preset: GuideSettings;
  /** A run of this algorithm whose data can be drawn into the picture. */
  runId: string | null;
}

export interface Fact {
  label: string;
  value: string;
  note?: string;
}

export type Values = Preset["hyperparameters"];

/** The value of hyperparameter `name` if it is a number, otherwise `fallback`. */
export function numberOf(values: Values, name: string, fallback: number): number {
  const value = values[name];
  return typeof value === "number" ? value : fallback;
}
