"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import type { Evaluation } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { Boundary } from "@/ui/boundary";
import { Disclosure } from "@/ui/disclosure";

const StepsPanel = dynamic(
  withRetry(() => import("./steps-panel").then((module) => module.StepsPanel)),
);

interface StepsSectionProps {
  evaluation: Evaluation;
  /** Shows a step in the video; null where there is none. */
  onPick: ((episode: number, index: number) => void) | null;
}

/** The step records of an evaluation, loaded when the user opens them. */
export function StepsSection({ evaluation, onPick }: StepsSectionProps) {
  const [open, setOpen] = useState(false);
  if (!evaluation.has_steps) {
    return evaluation.summary?.steps ? (
      <p className="text-xs text-ink-faint">
        The step records of this evaluation were deleted to make room for newer ones.
      </p>
    ) : null;
  }
  return (
    <Disclosure summary="Steps" open={open} onToggle={setOpen}>
      {open && (
        <Boundary what="The steps">
          <StepsPanel evaluation={evaluation} onPick={onPick} />
        </Boundary>
      )}
    </Disclosure>
  );
}
