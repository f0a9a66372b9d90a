"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import type { Evaluation } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import type { OtherFutures } from "@/player/futures/other-futures";
import { Boundary } from "@/ui/boundary";
import { Disclosure } from "@/ui/disclosure";

const StepsPanel = dynamic(
  withRetry(() => import("./steps-panel").then((module) => module.StepsPanel)),
);

interface StepsSectionProps {
  evaluation: Evaluation;
  /** Shows a step in the video; null if there is no video. */
  onPick: ((episode: number, index: number) => void) | null;
  /** Opens the menu of other actions at a step. */
  onOther: OtherFutures["ask"];
}

/** The step records of an evaluation, loaded when the user opens them. */
export function StepsSection({ evaluation, onPick, onOther }: StepsSectionProps) {
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
          <StepsPanel {...{ evaluation, onPick, onOther }} />
        </Boundary>
      )}
    </Disclosure>
  );
}
