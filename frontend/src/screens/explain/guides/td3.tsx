"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { count, decimal } from "@/lib/number";
import { Stat } from "@/ui/card";
import { type Guide, numberOf, type PictureProps } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout } from "../picture";
import { RunDistribution, useNewestUpdate } from "../run-picture";
import { replayFacts } from "./replay";
import { divergingLoss, failures, knobs } from "./shared";

/**
 * Two critics with errors: the action that one of them would choose, and that of the smoothed minimum of
 * both.
 */
function CriticsPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [settings, setSettings] = useState<Critics>({
    error: 0.18,
    noise: numberOf(hyperparameters, "target_policy_noise", 0.2),
    clip: numberOf(hyperparameters, "target_noise_clip", 0.5),
  });
  const change = (part: Partial<Critics>) => setSettings({ ...settings, ...part });
  const one = choice((action) => critics[0](action, settings.error));
  const both = smoothed((action) => lower(action, settings), settings);
  const two = choice(both);
  const saved = `One critic promises ${words(one.optimism)} at its best action; the lower of two, smoothed, ${words(two.optimism)}.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Two critics over the actions. ${saved}`}
            height={340}
            x={{ domain: [-1, 1], ticks: linspace(-1, 1, 4), label: "action" }}
            y={{ domain: [-0.4, 1.2], ticks: linspace(-0.4, 1.2, 4), label: "value of the action" }}
          >
            {(frame) => (
              <Drawing frame={frame} error={settings.error} both={both} one={one} two={two} />
            )}
          </Plot>
          {newest?.td_errors && (
            <RunDistribution label="target less the lower critic" histogram={newest.td_errors}>
              Grey: by how much the critics of this run missed their targets in the newest update
              that was looked into, at step {count(newest.step)}: {decimal(newest.td_errors.mean)} ±{" "}
              {decimal(newest.td_errors.std)}.
            </RunDistribution>
          )}
        </>
      }
    >
      <Controls>
        <Control
          label="Errors of the critics"
          value={settings.error}
          min={0}
          max={0.4}
          step={0.01}
          text={`±${settings.error.toFixed(2)}`}
          onChange={(error) => change({ error })}
        />
        <Control
          label="Smoothing"
          symbol="target_policy_noise"
          value={settings.noise}
          min={0}
          max={0.5}
          step={0.01}
          text={settings.noise.toFixed(2)}
          onChange={(noise) => change({ noise })}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="One critic, at its best" note="against the truth">
          {signed(one.optimism)}
        </Stat>
        <Stat label="Lower of two, smoothed" note="against the truth">
          {signed(two.optimism)}
        </Stat>
      </dl>
      <PictureCaption title="The maximum picks the errors that flatter.">
        {saved} Too little is the safer mistake: nothing chases it.
      </PictureCaption>
    </PictureLayout>
  );
}

interface DrawingProps {
  frame: Frame;
  error: number;
  both: (action: number) => number;
  one: Choice;
  two: Choice;
}

function Drawing({ frame: { x, y }, error, both, one, two }: DrawingProps) {
  const path = (value: (action: number) => number) =>
    linePath(ACTIONS.map((action) => [x(action), y(value(action))] as const));
  return (
    <>
      <path d={path(truth)} fill="none" className="stroke-chart-reference" strokeDasharray="5 4" />
      <g fill="none" strokeWidth={1.25}>
        <path d={path((a) => critics[0](a, error))} className="stroke-series-2" />
        <path d={path((a) => critics[1](a, error))} className="stroke-series-6" />
      </g>
      <path d={path(both)} fill="none" className="stroke-chart-mean" strokeWidth={2.5} />
      <Mark
        x={x(one.action)}
        from={y(truth(one.action))}
        to={y(one.promised)}
        className="stroke-series-2"
      />
      <Mark
        x={x(two.action)}
        from={y(truth(two.action))}
        to={y(two.promised)}
        className="stroke-chart-mean"
      />
      <text x={x(one.action)} y={y(one.promised) - 10} textAnchor="middle" className="fill-ink">
        one critic
      </text>
      <text x={x(two.action)} y={y(two.promised) + 20} textAnchor="middle" className="fill-ink">
        lower of two
      </text>
      <text x={x(-0.98)} y={y(truth(-0.98)) + 16} className="fill-ink-soft">
        truth, dashed
      </text>
    </>
  );
}

function Mark({
  x,
  from,
  to,
  className,
}: {
  x: number;
  from: number;
  to: number;
  className: string;
}) {
  return (
    <g className={className} strokeWidth={2}>
      <line x1={x} x2={x} y1={from} y2={to} />
      <circle cx={x} cy={to} r={5} className="fill-raised" />
    </g>
  );
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

function words(optimism: number): string {
  return `${Math.abs(optimism).toFixed(2)} too ${optimism < 0 ? "little" : "much"}`;
}

interface Critics {
  /** Magnitude of the critics' errors. */
  error: number;
  /** Standard deviation of the noise on the target's action, `target_policy_noise`. */
  noise: number;
  /** Largest absolute noise, `target_noise_clip`. */
  clip: number;
}

export const ACTIONS = linspace(-1, 1, 160);

/** The true Q-value of actions from -1 to 1. */
export function truth(action: number): number {
  return 0.75 * Math.exp(-((action - 0.15) ** 2) / 0.5);
}

/** Two critics with independent errors; fixed ripples stand in for approximation errors of networks. */
export const critics = [
  (action: number, error: number) =>
    truth(action) + error * (0.6 * Math.sin(9 * action + 1) + 0.4 * Math.sin(23 * action)),
  (action: number, error: number) =>
    truth(action) + error * (0.6 * Math.sin(11 * action + 4) + 0.4 * Math.sin(19 * action + 2)),
] as const;

/** The minimum of both critics (Fujimoto et al., 2018, equation 10). */
export function lower(action: number, { error }: Critics): number {
  return Math.min(...critics.map((critic) => critic(action, error)));
}

/**
 * `value` averaged over clipped noise around each action: the target that TD3's target policy smoothing
 * produces.
 */
export function smoothed(value: (action: number) => number, { noise, clip }: Critics) {
  if (noise === 0) return value;
  const offsets = linspace(-3 * noise, 3 * noise, 24);
  const weights = offsets.map((offset) => Math.exp(-((offset / noise) ** 2) / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (action: number) =>
    offsets.reduce((sum, offset, i) => {
      const held = Math.min(Math.max(offset, -clip), clip);
      const there = Math.min(Math.max(action + held, -1), 1);
      return sum + value(there) * (weights[i] ?? 0);
    }, 0) / total;
}

interface Choice {
  action: number;
  /** The critic's estimate for the action. */
  promised: number;
  /** The estimate minus the true value. */
  optimism: number;
}

/** The action that maximises `value`, and by how much the estimate of it is too high. */
export function choice(value: (action: number) => number): Choice {
  let action = 0;
  let promised = -Infinity;
  for (const candidate of ACTIONS) {
    const worth = value(candidate);
    if (worth > promised) [action, promised] = [candidate, worth];
  }
  return { action, promised, optimism: promised - truth(action) };
}

const guide: Guide = {
  id: "td3",
  idea: "One action for each state, moved uphill on what a critic thinks of it, with three guards against critics that flatter.",
  picture: {
    title: "Two critics are less gullible than one",
    invitation:
      "Thin lines are two critics with errors of their own; the strong one is the lower of both, smoothed by noise on the action. The dots are the actions each would lead to, the stems how wrong the promise is.",
    Picture: CriticsPicture,
  },
  optimises: {
    lead: "The critic's value of the policy's own action.",
    formula: (
      <Formula spoken="The target is r plus gamma times the lower of two target critics at the target policy's action plus clipped noise.">
        Q(s, a) → r + γ · min(Q₁, Q₂)(s′, μ(s′) + noise)
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">Twin critics:</b> the lower of two counts, against
        optimism.
      </>,
      <>
        <b className="font-medium text-ink">Delay:</b> the policy moves once for every{" "}
        <Name>policy_delay</Name> updates of the critics, so that it follows settled values.
      </>,
      <>
        <b className="font-medium text-ink">Smoothing:</b> noise on the target&apos;s action keeps
        the policy off needle-thin peaks.
      </>,
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of its own past: off-policy.",
    points: [
      <>
        The policy is certain of itself: all exploration is <Name>action_noise</Name> added while
        training. Without it nothing new is ever tried.
      </>,
      <>
        The first <Name>learning_starts</Name> actions are uniformly random.
      </>,
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "action_noise_std",
      does: "Size of the noise on actions while training; actions reach from −1 to 1.",
      more: "explores further; training returns fall below what the policy can do.",
      less: "stays close to what it knows.",
    },
    {
      name: "policy_delay",
      does: "Updates of the critics for each of the policy.",
      more: "follows surer values, more slowly.",
      less: "quicker; chases the critics' errors.",
    },
    {
      name: "target_policy_noise",
      does: "Noise on the target's action, which smooths the critics.",
      more: "broader, safer peaks; fine control is lost.",
      less: "sharper values, more easily fooled.",
    },
    knobs.tau,
    knobs.batchSize,
    knobs.bufferSize,
    knobs.learningStarts,
    knobs.gradientSteps,
    knobs.gamma,
    knobs.returnSteps,
  ],
  failures: [
    failures.flat,
    { ...divergingLoss, metric: "train/critic_loss" },
    {
      id: "saturated",
      title: "The policy sticks to extremes",
      curve: "flat",
      metric: "train/actor_loss",
      see: "The actor's loss falls on and on while the return stays poor; actions lie at −1 or 1.",
      why: "The critics promise more and more outside what was ever tried, and the policy follows.",
      try: "A lower learning rate, more learning_starts, more action_noise_std; or SAC.",
    },
    failures.plateau,
    failures.forgetting,
    failures.tooShort,
  ],
  paper: {
    label:
      "Fujimoto et al. (2018), Addressing Function Approximation Error in Actor-Critic Methods",
    href: "https://arxiv.org/abs/1802.09477",
  },
};

export default function Td3Guide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
