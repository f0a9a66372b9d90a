"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linePath, linspace, roundTo } from "@/charts/figure-scale";
import { count } from "@/lib/number";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, Handle, PictureCaption, PictureLayout, RunNote } from "../picture";
import { RunHistogram, useNewestUpdate } from "../run-picture";
import { entropyCollapsed, failures, knobs, valueLags } from "./shared";

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
          Grey: the ratios after the newest update of this run that was looked into, at step{" "}
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
        text: "The action turned out exactly as the value network expected, so it pulls neither way.",
      };
    case "clipped":
      return {
        title: "Clipped: this sample no longer pulls.",
        text: `The action was ${better} than expected and is already ${times}, past ${edge(advantage, clip)}. There the objective is flat; the sample counts in train/clip_fraction and waits for fresh data.`,
      };
    case "up":
      return {
        title: "The update makes the action likelier.",
        text:
          ratio < 1 - clip
            ? `It was better than expected, yet has become only ${times}. On this side nothing is clipped: it is pulled back with full force.`
            : `It was better than expected and is ${times}; it may go on up to ${edge(advantage, clip)}.`,
      };
    case "down":
      return {
        title: "The update makes the action less likely.",
        text:
          ratio > 1 + clip
            ? `It was worse than expected, yet has become ${times}. On this side nothing is clipped: it is pushed away with full force.`
            : `It was worse than expected and is ${times}; it may go on down to ${edge(advantage, clip)}.`,
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
    { label: "Each step is used", value: `${epochs} ×`, note: "then thrown away" },
  ];
}

const guide: Guide = {
  id: "ppo",
  idea: "Use each batch of fresh experience for several gradient steps, but let no action's probability move far from where it was when the batch was collected.",
  picture: {
    title: "The clipped objective of one sample",
    invitation:
      "Drag the blue points: r is how likely the action has become, A how much better it turned out than expected. Watch where the line goes flat, and on which side it never does.",
    Picture: ClippedPicture,
  },
  optimises: {
    lead: "The clipped objective: make good actions likelier and bad ones rarer, as far as the data speaks for it.",
    formula: (
      <Formula spoken="The mean of the smaller of r times A, and r clipped to one plus or minus epsilon times A.">
        mean of min( r·A, clip(r, 1 − ε, 1 + ε)·A )
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">r</b> is the action&apos;s new probability over its old
        one; <b className="font-medium text-ink">A</b>, the advantage, how much better it turned out
        than the value network expected.
      </>,
      "Past 1 ± ε on the winning side the objective is flat: the sample has had its say. On the losing side it keeps pulling back.",
      <>
        Beside it the value network learns the return (<Name>vf_coef</Name>), and an entropy bonus (
        <Name>ent_coef</Name>) can keep the policy random.
      </>,
    ],
  },
  data: {
    lead: "Its own newest experience, used a few times and thrown away: on-policy.",
    points: [
      <>
        <Name>n_envs</Name> environments run <Name>n_steps</Name> steps each. That rollout is all
        one update sees.
      </>,
      "Old experience cannot be reused: r compares with the policy that collected it. So PPO needs many steps, and makes each cheap.",
    ],
  },
  facts: ppoFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "clip_range",
      does: "ε: how far an action's probability may move in one update, as a ratio.",
      more: "bigger steps; more can go wrong in one.",
      less: "careful steps; more updates to get anywhere.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    {
      name: "n_epochs",
      does: "Times each rollout is gone through.",
      more: "learns more from each step; drifts further from the data (watch approx_kl).",
      less: "safer; wastes experience.",
    },
    knobs.batchSize,
    knobs.gamma,
    knobs.gaeLambda,
    knobs.entropyWeight,
    {
      name: "target_kl",
      does: "Ends an update early once the policy has moved this far; none: never.",
      more: "seldom ends an update.",
      less: "keeps every update small, whatever the epochs.",
    },
  ],
  failures: [
    entropyCollapsed,
    {
      id: "kl-spikes",
      title: "approx_kl spikes",
      curve: "spikes",
      metric: "train/approx_kl",
      see: "Single updates move the policy many times further than usual; the return often dips after.",
      why: "Too many or too large gradient steps on one rollout. The clip slows single actions, not the whole policy.",
      try: "Set target_kl (0.01 to 0.03), lower learning_rate or n_epochs, let the rate fall to zero.",
    },
    {
      id: "clip-fraction-high",
      title: "Most of the batch is clipped",
      curve: "rising",
      metric: "train/clip_fraction",
      see: "More than a third of samples lie outside 1 ± ε by the end of their epochs.",
      why: "The later epochs push against the clip: many samples have nothing left to say.",
      try: "Fewer n_epochs, a lower learning rate, larger minibatches.",
    },
    valueLags,
    failures.plateau,
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
