import type { ComponentType, ReactNode } from "react";
import type { Preset } from "@/lib/api";

/** Where hints that fit no single failure lead. */
export const FAILURES_ID = "failure-modes";

export interface Guide {
  id: string;
  /** The whole algorithm in one sentence. */
  idea: string;
  optimises: Passage;
  data: Passage;
  knobs: readonly Knob[];
  failures: readonly Failure[];
  picture: PictureInfo;
  /** What a preset's values come to, in numbers. */
  facts: (values: Values, totalTimesteps: number) => Fact[];
  paper: { label: string; href: string };
}

export interface Passage {
  /** The sentence that is read when nothing else is. */
  lead: ReactNode;
  formula?: ReactNode;
  points: readonly ReactNode[];
}

export interface Knob {
  /** As in the run's config. */
  name: string;
  does: string;
  more: string;
  less: string;
}

export interface Failure {
  /** The anchor that a hint's `learn` names. */
  id: string;
  title: string;
  curve: CurveShape;
  /** The metric that shows it. */
  metric: string;
  see: string;
  why: string;
  try: string;
}

export type CurveShape =
  "collapse" | "spikes" | "flat" | "rising" | "diverge" | "high" | "fallback" | "noise";

export interface PictureInfo {
  title: string;
  /** What to do with it and what to look for. */
  invitation: string;
  Picture: ComponentType<PictureProps>;
}

export interface PictureProps {
  preset: Preset;
  /** A run of this algorithm, whose own data can be drawn in. */
  runId: string | null;
}

export interface Fact {
  label: string;
  value: string;
  note?: string;
}

export type Values = Preset["hyperparameters"];

/** A number of a preset; `fallback` where it has none. */
export function numberOf(values: Values, name: string, fallback: number): number {
  const value = values[name];
  return typeof value === "number" ? value : fallback;
}
