"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linePath, linspace, roundTo } from "@/charts/figure-scale";
import { compact, count, shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import type { PictureProps } from "../../guide/guide";
import { Control, PictureCaption } from "../../picture/control";
import { Handle } from "../../picture/handle";
import { PictureLayout } from "../../picture/picture-layout";
import { RunCurve, type RunPoint, useRunPoints } from "../../picture/run-curve";
import { RunNote } from "../../picture/run-note";
import {
  bufferWindow,
  epsilonAt,
  gradientStepsAt,
  randomShareOfBuffer,
  replaysAt,
  type Schedule,
  scheduleOf,
} from "../shared/replay";
import { BufferStrip } from "./buffer-strip";
import { caption } from "./caption";

const STEPS = 200;

/**
 * A preset's training as an animation: epsilon falls, the replay buffer fills, and the share of random
 * actions in it changes.
 */
export function ReplayPicture({ preset, runId }: PictureProps) {
  const schedule = scheduleOf(preset.hyperparameters, preset.total_timesteps);
  const { totalTimesteps, bufferSize } = schedule;
  const measured = useRunPoints(runId, "rollout/exploration_rate").filter(
    ([at]) => at <= totalTimesteps,
  );
  const newest = measured.at(-1);
  const unit = totalTimesteps / STEPS;
  const [step, setStep] = useState(() => roundTo(totalTimesteps * 0.12, unit));
  const [from, to] = bufferWindow(step, schedule);
  const random = randomShareOfBuffer(step, schedule);
  const words = caption(step, schedule);
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Epsilon and the fill of the replay buffer over training. At step ${count(step)}: ${words.text}`}
            height={260}
            x={{
              domain: [0, totalTimesteps],
              ticks: linspace(0, totalTimesteps, 4),
              label: "step",
            }}
            y={{ domain: [0, 1], ticks: linspace(0, 1, 4), label: "share", format: shareText }}
          >
            {(frame) => (
              <Drawing
                frame={frame}
                step={step}
                schedule={schedule}
                measured={measured}
                onStep={(at) => setStep(roundTo(clamp(at, 0, totalTimesteps), unit))}
              />
            )}
          </Plot>
          <div className="mt-2">
            <Control
              label="Step of training"
              value={step}
              min={0}
              max={totalTimesteps}
              step={unit}
              text={count(step)}
              onChange={setStep}
            />
          </div>
          <div className="mt-3">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-xs">
              <span className="font-medium text-ink-soft">
                Replay buffer{" "}
                <span className="text-ink-faint tabular-nums">
                  {count(to - from)} of {count(bufferSize)}, oldest first
                </span>
              </span>
              <span className="flex gap-3 text-ink-soft">
                <Key className="bg-series-1">greedy actions</Key>
                <Key className="bg-series-6">random actions</Key>
              </span>
            </p>
            <BufferStrip step={step} schedule={schedule} />
          </div>
        </>
      }
    >
      <dl className="grid grid-cols-2 gap-x-4 gap-y-4">
        <Stat label="ε now">{epsilonAt(step, schedule).toFixed(3)}</Stat>
        <Stat label="Random in the buffer">{shareText(random)}</Stat>
        <Stat label="Gradient steps">{count(gradientStepsAt(step, schedule))}</Stat>
        <Stat label="Each step replayed">{replaysAt(step, schedule).toFixed(1)} ×</Stat>
      </dl>
      <PictureCaption title={words.title}>{words.text}</PictureCaption>
      {newest && (
        <RunNote>
          Grey: the exploration rate ε as this run has logged it, {newest[1].toFixed(3)} at step{" "}
          {count(newest[0])}.
        </RunNote>
      )}
    </PictureLayout>
  );
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-[2px] ${className}`} />
      {children}
    </span>
  );
}

interface DrawingProps {
  frame: Frame;
  step: number;
  schedule: Schedule;
  /** ε of a run. */
  measured: readonly RunPoint[];
  onStep: (step: number) => void;
}

function Drawing({ frame, step, schedule, measured, onStep }: DrawingProps) {
  const { x, y, top, bottom } = frame;
  const { totalTimesteps, fraction, bufferSize, learningStarts } = schedule;
  const path = (steps: number[], value: (step: number) => number) =>
    linePath(steps.map((at) => [x(at), y(value(at))] as const));
  const epsilon = (at: number) => epsilonAt(at, schedule);
  const fill = (at: number) => Math.min(at / bufferSize, 1);
  const [from] = bufferWindow(step, schedule);
  const fullAt = Math.min(bufferSize, totalTimesteps);
  return (
    <>
      <rect
        x={x(from)}
        width={Math.max(x(step) - x(from), 0)}
        y={top}
        height={bottom - top}
        className="fill-accent-tint"
      />
      <RunCurve frame={frame} points={measured} />
      <text x={x(from) + 4} y={top - 6} className="fill-ink-soft">
        in the buffer
      </text>
      {learningStarts > 0 && (
        <>
          <line
            x1={x(learningStarts)}
            x2={x(learningStarts)}
            y1={top}
            y2={bottom}
            className="stroke-chart-reference"
            strokeDasharray="5 4"
          />
          <text x={x(learningStarts) + 4} y={top + 10} className="fill-ink-soft">
            learning starts · {compact(learningStarts)}
          </text>
        </>
      )}
      <path
        d={path([0, fullAt, totalTimesteps], fill)}
        fill="none"
        className="stroke-series-3"
        strokeWidth={2}
        strokeDasharray="8 4"
      />
      <path
        d={path([0, fraction * totalTimesteps, totalTimesteps], epsilon)}
        fill="none"
        className="stroke-chart-mean"
        strokeWidth={2.5}
      />
      <text
        x={x(totalTimesteps) - 4}
        y={y(epsilon(totalTimesteps)) - 7}
        textAnchor="end"
        className="fill-ink"
      >
        ε
      </text>
      <text
        x={x(totalTimesteps) - 4}
        y={y(fill(totalTimesteps)) + 22}
        textAnchor="end"
        className="fill-ink"
      >
        buffer filled
      </text>
      <line x1={x(step)} x2={x(step)} y1={top} y2={bottom} className="stroke-accent" />
      <Handle along="x" x={x(step)} y={y(epsilon(step))} onDrag={(at) => onStep(x.invert(at))} />
    </>
  );
}
