"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linePath, linspace, roundTo } from "@/charts/figure-scale";
import { compact, count, shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import type { Guide, PictureProps } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Handle, PictureCaption, PictureLayout, RunNote } from "../picture";
import { RunCurve, type RunPoint, useRunPoints } from "../run-picture";
import {
  bufferWindow,
  epsilonAt,
  gradientStepsAt,
  randomShareAt,
  randomShareOfBuffer,
  replayFacts,
  replaysAt,
  type Schedule,
  scheduleOf,
} from "./replay";
import { divergingLoss, failures, knobs, stillExploring, stillTap } from "./shared";

const STEPS = 200;

/**
 * A preset's training as an animation: epsilon falls, the replay buffer fills, and the share of random
 * actions in it changes.
 */
function ReplayPicture({ preset, runId }: PictureProps) {
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

const CELLS = 48;

/**
 * The replay buffer as a row of cells, oldest first. The lower part of each cell shows its share of random
 * actions.
 */
function BufferStrip({ step, schedule }: { step: number; schedule: Schedule }) {
  const { bufferSize } = schedule;
  const [from, to] = bufferWindow(step, schedule);
  const size = bufferSize / CELLS;
  return (
    <div
      aria-hidden
      className="mt-1.5 grid h-9 gap-px overflow-hidden rounded-md border border-control-line bg-sunken p-px"
      style={{ gridTemplateColumns: `repeat(${CELLS}, minmax(0, 1fr))` }}
    >
      {Array.from({ length: CELLS }, (_, cell) => {
        const first = from + cell * size;
        const full = first < to;
        const random = full ? randomShareAt(Math.min(first + size / 2, to), schedule) : 0;
        return (
          <span key={cell} className="flex flex-col justify-end overflow-hidden rounded-[1px]">
            {full && (
              <>
                <span className="grow bg-series-1" />
                <span className="bg-series-6" style={{ height: `${random * 100}%` }} />
              </>
            )}
          </span>
        );
      })}
    </div>
  );
}

/** Describes in words how the agent acts and learns at `step`. */
function caption(step: number, schedule: Schedule): { title: string; text: string } {
  const { learningStarts, fraction, totalTimesteps, finalEps } = schedule;
  const [from] = bufferWindow(step, schedule);
  const random = shareText(randomShareOfBuffer(step, schedule));
  if (step <= learningStarts) {
    return {
      title: "The agent collects steps and does not learn yet.",
      text: `Every action is random until step ${count(learningStarts)}: the first batches should contain varied transitions.`,
    };
  }
  const held =
    from === 0
      ? `The buffer still contains every step; ${random} of the actions in it are random.`
      : `Steps before ${count(from)} have been overwritten; ${random} of the actions in the buffer are random.`;
  if (step < fraction * totalTimesteps) {
    return {
      title: `Exploring: ${shareText(epsilonAt(step, schedule))} of actions are random.`,
      text: `ε reaches ${finalEps} at step ${count(fraction * totalTimesteps)}. ${held}`,
    };
  }
  return {
    title: `Exploiting: only ${shareText(finalEps)} of actions are random.`,
    text: `${held} The training curve is usually lower than the greedy policy's return, because random actions cost reward.`,
  };
}

const guide: Guide = {
  id: "dqn",
  idea: "Learn the value of every action and take the best one, but sometimes take a random one to discover better actions.",
  picture: {
    title: "Exploration and replay buffer during training",
    invitation:
      "Drag the slider to move through training with this preset's hyperparameters. The line is ε, the share of random actions; the strip shows what the replay buffer contains at that step.",
    Picture: ReplayPicture,
  },
  optimises: {
    lead: "The Bellman error: an action's value should equal its reward plus the discounted value of the best next action.",
    formula: (
      <Formula spoken="The error of Q of s and a, against r plus gamma times the largest target Q of the next state.">
        Q(s, a) → r + γ · max Q<sub>target</sub>(s′, ·)
      </Formula>
    ),
    points: [
      <>
        The right side comes from a <b className="font-medium text-ink">target network</b>, a copy
        of the network that is updated every <Name>target_update_interval</Name> steps. Without it,
        the targets would change with every update, and training could diverge.
      </>,
      "There is no separate policy network: the agent takes the action with the highest value. Small errors in the values can change that action, so returns fluctuate.",
      "The maximum of noisy values is biased upwards, so the estimates tend to be too high.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of past transitions: DQN is off-policy.",
    points: [
      "Every transition is stored and drawn many times, so few environment steps are wasted.",
      <>
        Random batches break up sequences of similar states. The buffer drops transitions older than{" "}
        <Name>buffer_size</Name> steps.
      </>,
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    knobs.explorationFraction,
    knobs.finalEpsilon,
    knobs.bufferSize,
    knobs.learningStarts,
    knobs.batchSize,
    knobs.trainFreq,
    knobs.gradientSteps,
    knobs.targetUpdateInterval,
    knobs.gamma,
    knobs.returnSteps,
  ],
  failures: [
    stillExploring,
    divergingLoss,
    failures.forgetting,
    {
      id: "overestimation",
      title: "Values grow, returns do not",
      curve: "diverge",
      metric: "train/loss",
      see: "The loss rises slowly over a long time while the return stays the same or falls.",
      why: "The maximum in the target selects overestimated values, so the overestimation grows.",
      try: "A slower target, a lower learning rate, or fewer gradient steps. QR-DQN is often more stable.",
    },
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    stillTap,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Mnih et al. (2015), Human-level control through deep reinforcement learning",
    href: "https://www.nature.com/articles/nature14236",
  },
};

export default function DqnGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
