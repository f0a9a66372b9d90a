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
  const saved = `At its best action, one critic ${words(one.optimism)}. The smoothed minimum of two critics ${words(two.optimism)}.`;
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
            <RunDistribution label="target minus the lower critic" histogram={newest.td_errors}>
              Grey: the errors of this run&apos;s critics in the newest recorded update, at step{" "}
              {count(newest.step)}: {decimal(newest.td_errors.mean)} ±{" "}
              {decimal(newest.td_errors.std)} (mean and standard deviation).
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
        <Stat label="Error of one critic" note="at its best action">
          {signed(one.optimism)}
        </Stat>
        <Stat label="Error of the smoothed minimum" note="at its best action">
          {signed(two.optimism)}
        </Stat>
      </dl>
      <PictureCaption title="Maximising over actions selects overestimated values.">
        {saved} Underestimation is safer: the policy does not move towards actions whose values are
        too low values.
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
        true value, dashed
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
  return `${optimism < 0 ? "under" : "over"}estimates the value by ${Math.abs(optimism).toFixed(2)}`;
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
  idea: "A deterministic policy follows the gradient of a critic, with three measures against overestimated values.",
  picture: {
    title: "Two critics overestimate less than one",
    invitation:
      "The thin lines are two critics with independent errors. The thick line is the minimum of both, smoothed by noise on the action. Each dot marks the best action of a curve; its stem is the error of the estimate.",
    Picture: CriticsPicture,
  },
  optimises: {
    lead: "The critic's value of the action that the policy takes.",
    formula: (
      <Formula spoken="The target is r plus gamma times the lower of two target critics at the target policy's action plus clipped noise.">
        Q(s, a) → r + γ · min(Q₁, Q₂)(s′, μ(s′) + noise)
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">Twin critics:</b> the lower estimate is used, which
        reduces overestimation.
      </>,
      <>
        <b className="font-medium text-ink">Delay:</b> the policy is updated once per{" "}
        <Name>policy_delay</Name> critic updates, so that it follows more accurate values.
      </>,
      <>
        <b className="font-medium text-ink">Smoothing:</b> noise on the target&apos;s action
        prevents the policy from exploiting narrow peaks in the critics.
      </>,
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of past transitions: TD3 is off-policy.",
    points: [
      <>
        The policy is deterministic. All exploration comes from noise that training adds to its
        actions (<Name>action_noise</Name>, <Name>action_noise_std</Name>). Without noise, the agent
        does not explore.
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
      does: "Standard deviation of the noise on actions during training. Actions range from −1 to 1.",
      more: "explores more; training returns are lower than those of the greedy policy.",
      less: "explores only actions close to those of the policy.",
    },
    {
      name: "policy_delay",
      does: "Number of critic updates per policy update.",
      more: "the policy follows more accurate values, but learns more slowly.",
      less: "faster learning, but the policy may follow errors of the critics.",
    },
    {
      name: "target_policy_noise",
      does: "Noise on the target's action, which smooths the critics.",
      more: "broader peaks with less overestimation, but less precise control.",
      less: "sharper values, with a higher risk of overestimation.",
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
      title: "The policy takes only extreme actions",
      curve: "flat",
      metric: "train/actor_loss",
      see: "The actor loss keeps falling while the return stays low. Actions are at −1 or 1.",
      why: "The critics overestimate actions that were never tried, and the policy moves towards them.",
      try: "A lower learning rate, more learning_starts, more action_noise_std; or SAC.",
    },
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
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
