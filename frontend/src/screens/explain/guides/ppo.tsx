"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linePath, linspace, roundTo } from "@/charts/figure-scale";
import { count } from "@/lib/number";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, Handle, PictureCaption, PictureLayout, RunNote } from "../picture";
import { RunHistogram, useNewestUpdate } from "../run-picture";
import { entropyCollapsed, failures, knobs, stillTap, valueLags } from "./shared";

const RATIO = [0, 2] as const;
const VALUE = [-3, 3] as const;
const MOST = 2;
const STEP = 0.05;

/** The clipped objective of one sample. The reader drags the probability ratio and the advantage. */
function ClippedPicture({ preset, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [sample, setSample] = useState<Sample>({
    ratio: 1.35,
    advantage: 1,
    clip: numberOf(preset.hyperparameters, "clip_range", 0.2),
  });
  const change = (part: Partial<Sample>) => setSample({ ...sample, ...part });
  const words = caption(sample);
  return (
    <PictureLayout
      picture={
        <Plot
          label={`The clipped objective over the probability ratio. ${words.title} ${words.text}`}
          height={360}
          x={{ domain: RATIO, ticks: linspace(0, 2, 4), label: "probability ratio r, new ÷ old" }}
          y={{ domain: VALUE, ticks: linspace(-3, 3, 6), label: "objective of this sample" }}
        >
          {(frame) => (
            <>
              {newest?.ratios && <RunHistogram frame={frame} histogram={newest.ratios} />}
              <Drawing frame={frame} sample={sample} onChange={change} />
            </>
          )}
        </Plot>
      }
    >
      <Controls>
        <Control
          label="Ratio"
          symbol="r"
          value={sample.ratio}
          min={RATIO[0]}
          max={RATIO[1]}
          step={STEP}
          text={sample.ratio.toFixed(2)}
          onChange={(ratio) => change({ ratio })}
        />
        <Control
          label="Advantage"
          symbol="A"
          value={sample.advantage}
          min={-MOST}
          max={MOST}
          step={STEP}
          text={signed(sample.advantage)}
          onChange={(advantage) => change({ advantage })}
        />
        <Control
          label="Clip range"
          symbol="ε"
          value={sample.clip}
          min={0.05}
          max={0.5}
          step={0.01}
          text={sample.clip.toFixed(2)}
          onChange={(clip) => change({ clip })}
        />
      </Controls>
      <PictureCaption title={words.title}>{words.text}</PictureCaption>
      {newest?.ratios && (
        <RunNote>
          Grey: the probability ratios after the newest recorded update of this run, at step{" "}
          {count(newest.step)}.
        </RunNote>
      )}
    </PictureLayout>
  );
}

interface DrawingProps {
  frame: Frame;
  sample: Sample;
  onChange: (part: Partial<Sample>) => void;
}

function Drawing({ frame: { x, y, top, bottom }, sample, onChange }: DrawingProps) {
  const { advantage, clip, ratio } = sample;
  const { value, pull } = clippedObjective(sample);
  const curve = [RATIO[0], 1 - clip, 1, 1 + clip, RATIO[1]].map(
    (r) => [x(r), y(clippedObjective({ ...sample, ratio: r }).value)] as const,
  );
  const held = y(clamp(value, ...VALUE));
  return (
    <>
      <rect
        x={x(1 - clip)}
        width={x(1 + clip) - x(1 - clip)}
        y={top}
        height={bottom - top}
        className="fill-accent-tint"
      />
      <text x={x(1)} y={top + 12} textAnchor="middle" className="fill-ink-soft">
        1 ± ε
      </text>
      <line x1={x(0)} x2={x(2)} y1={y(0)} y2={y(0)} className="stroke-control-line" />
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(limit(advantage))}
        y2={y(limit(advantage) * advantage)}
        className="stroke-chart-reference"
        strokeWidth={1.5}
        strokeDasharray="5 4"
      />
      <path d={linePath(curve)} fill="none" className="stroke-chart-mean" strokeWidth={2.5} />
      <line
        x1={x(ratio)}
        x2={x(ratio)}
        y1={held}
        y2={bottom}
        className="stroke-accent"
        strokeDasharray="2 3"
      />
      <Arrow x={x(ratio)} y={held} pull={pull} />
      <Handle
        along="y"
        x={x(1)}
        y={y(advantage)}
        onDrag={(_, at) => onChange({ advantage: roundTo(clamp(y.invert(at), -MOST, MOST), STEP) })}
      />
      <Handle
        along="x"
        x={x(ratio)}
        y={held}
        onDrag={(at) => onChange({ ratio: roundTo(clamp(x.invert(at), ...RATIO), STEP) })}
      />
      <text x={x(1) + 12} y={y(advantage) + (advantage < 0 ? 18 : -10)} className="fill-ink-soft">
        A
      </text>
      <text
        x={x(ratio) + 14}
        y={held + (advantage < 0 ? -10 : 20)}
        className="fill-ink font-medium"
      >
        r
      </text>
    </>
  );
}

/** An arrow in the direction in which the update moves the action's probability; a bar where it has no effect. */
function Arrow({ x, y, pull }: { x: number; y: number; pull: string }) {
  if (pull === "none") return null;
  if (pull === "clipped") {
    return <path d={`M${x - 9} ${y - 20}h18`} className="stroke-ink" strokeWidth={3} />;
  }
  const side = pull === "up" ? 1 : -1;
  return (
    <path
      d={`M${x} ${y - 20}h${34 * side}m${-8 * side} -6l${8 * side} 6l${-8 * side} 6`}
      fill="none"
      className="stroke-ink"
      strokeWidth={2.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  );
}

/** The ratio at which the unclipped line leaves the picture. */
function limit(advantage: number): number {
  return Math.min(RATIO[1], VALUE[1] / Math.max(Math.abs(advantage), 1e-9));
}

function signed(value: number): string {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;
}

interface Sample {
  /** Probability ratio π(a|s) ÷ π_old(a|s). */
  ratio: number;
  /** The advantage: how much better the action was than expected. */
  advantage: number;
  /** ε, PPO's `clip_range`. */
  clip: number;
}

export type Pull = "up" | "down" | "none" | "clipped";

export interface Clipped {
  /** min(r·A, clip(r, 1−ε, 1+ε)·A): Schulman et al. (2017), equation 7. */
  value: number;
  /** r·A, without the clip. */
  unclipped: number;
  /** Derivative of `value` with respect to the ratio: the sample's part in the gradient. */
  slope: number;
  /** Whether the sample raises or lowers the action's probability. */
  pull: Pull;
  /**
   * Whether the ratio lies outside 1 ± ε. Such samples count in `train/clip_fraction`, with or without a
   * gradient.
   */
  outside: boolean;
}

export function clippedObjective({ ratio, advantage, clip }: Sample): Clipped {
  const unclipped = ratio * advantage;
  const held = Math.min(Math.max(ratio, 1 - clip), 1 + clip) * advantage;
  const flat = held < unclipped;
  const slope = flat ? 0 : advantage;
  const pull = flat ? "clipped" : advantage > 0 ? "up" : advantage < 0 ? "down" : "none";
  return {
    value: Math.min(unclipped, held),
    unclipped,
    slope,
    pull,
    outside: Math.abs(ratio - 1) > clip,
  };
}

/** Describes in words what the update does with the sample. */
function caption(sample: Sample): { title: string; text: string } {
  const { pull } = clippedObjective(sample);
  const { ratio, advantage, clip } = sample;
  const better = advantage > 0 ? "better" : "worse";
  const times = `${ratio.toFixed(2)} × as likely as when it was collected`;
  switch (pull) {
    case "none":
      return {
        title: "Nothing to learn here.",
        text: "The action turned out exactly as the value network expected, so this sample does not change the policy.",
      };
    case "clipped":
      return {
        title: "Clipped: this sample no longer changes the policy.",
        text: `The action was ${better} than expected and is already ${times}, past ${edge(advantage, clip)}. The objective is flat there, so the sample has no gradient. It counts towards train/clip_fraction.`,
      };
    case "up":
      return {
        title: "The update makes the action more likely.",
        text:
          ratio < 1 - clip
            ? `The action was better than expected, but is now only ${times}. The objective is not clipped on this side, so the update raises the probability again.`
            : `The action was better than expected and is ${times}. Its probability ratio may rise to ${edge(advantage, clip)}.`,
      };
    case "down":
      return {
        title: "The update makes the action less likely.",
        text:
          ratio > 1 + clip
            ? `The action was worse than expected, but is now ${times}. The objective is not clipped on this side, so the update lowers the probability again.`
            : `The action was worse than expected and is ${times}. Its probability ratio may fall to ${edge(advantage, clip)}.`,
      };
  }
}

function edge(advantage: number, clip: number): string {
  return advantage > 0 ? `1 + ε = ${(1 + clip).toFixed(2)}` : `1 − ε = ${(1 - clip).toFixed(2)}`;
}

/** Rollout size, number of rollouts and gradient steps that follow from a preset's values. */
function ppoFacts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 2048);
  const epochs = numberOf(values, "n_epochs", 10);
  const rollout = environments * steps;
  const minibatches = Math.ceil(rollout / numberOf(values, "batch_size", 64));
  const updates = Math.ceil(totalTimesteps / rollout);
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${count(steps)} steps` },
    { label: "Rollouts", value: count(updates), note: `in ${count(totalTimesteps)} steps` },
    {
      label: "Gradient steps each",
      value: count(epochs * minibatches),
      note: `${epochs} × ${count(minibatches)} minibatches`,
    },
    { label: "Each step is used", value: `${epochs} ×`, note: "then discarded" },
  ];
}

const guide: Guide = {
  id: "ppo",
  idea: "Use each batch of new experience for several gradient steps, but keep each action's probability close to its value when the batch was collected.",
  picture: {
    title: "The clipped objective of one sample",
    invitation:
      "Drag the blue points. r is the action's new probability divided by its old one. A is how much better the action was than expected. Notice on which side the line goes flat.",
    Picture: ClippedPicture,
  },
  optimises: {
    lead: "The clipped objective: make good actions more likely and bad ones less likely, but only within the clip range.",
    formula: (
      <Formula spoken="The mean of the smaller of r times A, and r clipped to one plus or minus epsilon times A.">
        mean of min( r·A, clip(r, 1 − ε, 1 + ε)·A )
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">r</b> is the action&apos;s new probability divided by
        its old one. <b className="font-medium text-ink">A</b> is the advantage: how much better the
        action was than the value network expected.
      </>,
      "If a change in the right direction has already passed 1 ± ε, the objective is flat and the sample has no effect. If the probability moved in the wrong direction, nothing is clipped and the update corrects it.",
      <>
        In addition, the value network learns to predict the return (<Name>vf_coef</Name>), and an
        entropy bonus (<Name>ent_coef</Name>) can keep the policy random.
      </>,
    ],
  },
  data: {
    lead: "The policy's own newest experience, used a few times and then discarded: PPO is on-policy.",
    points: [
      <>
        <Name>n_envs</Name> environments run <Name>n_steps</Name> steps each. An update uses only
        this rollout.
      </>,
      "Old experience cannot be reused, because r is defined relative to the policy that collected it. PPO therefore needs many steps, but each one is cheap.",
    ],
  },
  facts: ppoFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "clip_range",
      does: "ε: the objective clips the probability ratio of an action to 1 ± ε.",
      more: "larger policy changes, with a higher risk that one goes wrong.",
      less: "smaller policy changes; learning takes more updates.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    {
      name: "n_epochs",
      does: "Number of passes over each rollout.",
      more: "learns more from each step; the policy moves further from the one that collected the data (watch approx_kl).",
      less: "safer, but uses each step less.",
    },
    knobs.batchSize,
    knobs.gamma,
    knobs.gaeLambda,
    knobs.entropyWeight,
    {
      name: "target_kl",
      does: "Ends an update early once the approximate KL divergence exceeds 1.5 times this value. None: updates never end early.",
      more: "updates rarely end early.",
      less: "keeps every update small, even with many epochs.",
    },
  ],
  failures: [
    entropyCollapsed,
    {
      id: "kl-spikes",
      title: "approx_kl spikes",
      curve: "spikes",
      metric: "train/approx_kl",
      see: "Single updates change the policy many times more than usual. The return often drops afterwards.",
      why: "Too many or too large gradient steps on one rollout. Clipping limits the change for single samples, not for the whole policy.",
      try: "Set target_kl (0.01 to 0.03), lower learning_rate or n_epochs, or let the learning rate fall to zero.",
    },
    {
      id: "clip-fraction-high",
      title: "Updates clip many samples",
      curve: "rising",
      metric: "train/clip_fraction",
      see: "On average over the gradient steps of an update, more than a third of the samples lie outside 1 ± ε.",
      why: "In later epochs, many samples are clipped and no longer contribute a gradient.",
      try: "Fewer n_epochs, a lower learning rate, larger minibatches.",
    },
    valueLags,
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    stillTap,
    failures.forgetting,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Schulman et al. (2017), Proximal Policy Optimization Algorithms",
    href: "https://arxiv.org/abs/1707.06347",
  },
};

export default function PpoGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
