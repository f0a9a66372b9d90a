"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { count, decimal, shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import type { Guide, PictureProps } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout, RunNote } from "../picture";
import { useRunPoints } from "../run-picture";
import { replayFacts } from "./replay";
import { divergingLoss, failures, knobs } from "./shared";

const ACTIONS = linspace(-1, 1, 200);
/** The action between the two peaks of the Q-value. */
const VALLEY = 0.2;

/** The policy that maximises a Q-value with two peaks plus an entropy bonus of adjustable size. */
function TemperaturePicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useRunPoints(runId, "train/ent_coef").at(-1);
  const given = hyperparameters.ent_coef;
  const [power, setPower] = useState(() =>
    typeof given === "number" && given > 0 ? Math.log10(given) : -0.7,
  );
  const alpha = 10 ** power;
  const { density, entropy, value } = softPolicy(ACTIONS, alpha);
  const high = massBetween(ACTIONS, density, VALLEY, 1);
  const title =
    high > 0.9
      ? "The policy has settled on the higher peak."
      : high < 0.5
        ? "The policy prefers the broad peak and tries all actions."
        : "The policy prefers the higher peak, but still tries the other one.";
  return (
    <PictureLayout
      picture={
        <Plot
          label={`Value and probability of each action at temperature ${alpha.toFixed(2)}. ${title}`}
          height={340}
          x={{ domain: [-1, 1], ticks: linspace(-1, 1, 4), label: "action" }}
          y={{ domain: [0, 1.2], ticks: linspace(0, 1, 4), label: "value of the action" }}
        >
          {(frame) => (
            <>
              {newest && newest[1] > 0 && (
                <Hill frame={frame} density={softPolicy(ACTIONS, newest[1]).density} measured />
              )}
              <Drawing frame={frame} density={density} />
            </>
          )}
        </Plot>
      }
    >
      <Controls>
        <Control
          label="Temperature"
          symbol="α = ent_coef"
          value={power}
          min={-2}
          max={0.5}
          step={0.05}
          text={alpha.toFixed(alpha < 0.1 ? 3 : 2)}
          onChange={setPower}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="Entropy">{entropy.toFixed(2)} nats</Stat>
        <Stat label="Expected value">{value.toFixed(2)}</Stat>
        <Stat label="On the higher peak">{shareText(high)}</Stat>
        <Stat label="On the broader peak">{shareText(1 - high)}</Stat>
      </dl>
      <PictureCaption title={title}>
        {given === null
          ? "With these settings, α is tuned during training, so that entropy stays near a target: minus the number of action dimensions."
          : "With these settings, α is constant."}{" "}
        Early in training the values are inaccurate. Exploring both peaks prevents the policy from
        settling on the wrong one.
      </PictureCaption>
      {newest && (
        <RunNote>
          Grey: the policy for these values at the temperature α of this run, {decimal(newest[1])}{" "}
          at step {count(newest[0])}.
        </RunNote>
      )}
    </PictureLayout>
  );
}

interface DensityProps {
  frame: Frame;
  density: readonly number[];
}

/** A policy as a density curve over the actions; `measured`: at the temperature of a run. */
function Hill({ frame: { x, y, bottom }, density, measured }: DensityProps & { measured?: true }) {
  const most = Math.max(...density, 1.6);
  const hill = density.map(
    (p, i) => [x(ACTIONS[i] ?? 0), bottom - ((bottom - y(1)) * p) / most] as const,
  );
  return (
    <path
      d={`${linePath([[x(-1), bottom], ...hill, [x(1), bottom]])}Z`}
      className={measured ? "fill-chart-raw" : "fill-series-1/20 stroke-series-1"}
      opacity={measured && 0.55}
      strokeWidth={1.5}
    />
  );
}

function Drawing({ frame, density }: DensityProps) {
  const { x, y } = frame;
  return (
    <>
      <Hill frame={frame} density={density} />
      <path
        d={linePath(ACTIONS.map((a) => [x(a), y(actionValue(a))] as const))}
        fill="none"
        className="stroke-series-2"
        strokeWidth={2}
        strokeDasharray="8 4"
      />
      <text x={x(-0.45)} y={y(0.8) - 8} textAnchor="middle" className="fill-ink-soft">
        value Q(a), dashed
      </text>
      <text x={x(0.72)} y={y(0.5)} className="fill-ink-soft">
        policy π(a), filled
      </text>
    </>
  );
}

/** An example Q-value over actions from -1 to 1 with two peaks: one high and narrow, one lower and broad. */
function actionValue(action: number): number {
  return bump(action, -0.45, 0.32, 0.8) + bump(action, 0.5, 0.14, 1);
}

function bump(action: number, at: number, width: number, height: number): number {
  return height * Math.exp(-((action - at) ** 2) / (2 * width ** 2));
}

export interface SoftPolicy {
  /** Density at each of the given actions. */
  density: number[];
  /** Entropy in nats; it may be negative, as it is of a density. */
  entropy: number;
  /** Expected Q-value. */
  value: number;
}

/**
 * The best policy for an entropy bonus of `alpha` per nat: density ∝ exp(Q/α) (Haarnoja et al., 2018, equation 4),
 * by the trapezoid rule over evenly spaced actions.
 */
export function softPolicy(actions: readonly number[], alpha: number): SoftPolicy {
  const values = actions.map(actionValue);
  const top = Math.max(...values);
  const weights = values.map((value) => Math.exp((value - top) / alpha));
  const total = integrate(actions, weights);
  const density = weights.map((weight) => weight / total);
  return {
    density,
    entropy: -integrate(
      actions,
      density.map((p) => (p > 0 ? p * Math.log(p) : 0)),
    ),
    value: integrate(
      actions,
      density.map((p, i) => p * (values[i] ?? 0)),
    ),
  };
}

/** Probability that the action lies between two bounds. */
export function massBetween(
  actions: readonly number[],
  density: readonly number[],
  low: number,
  high: number,
): number {
  return integrate(
    actions,
    density.map((p, i) => ((actions[i] ?? 0) >= low && (actions[i] ?? 0) <= high ? p : 0)),
  );
}

function integrate(x: readonly number[], y: readonly number[]): number {
  const step = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / (x.length - 1);
  return (
    step * y.reduce((sum, value, i) => sum + (i === 0 || i === y.length - 1 ? value / 2 : value), 0)
  );
}

const guide: Guide = {
  id: "sac",
  idea: "Maximise reward and randomness together: act as randomly as possible without losing too much reward, and learn from all stored experience.",
  picture: {
    title: "How the temperature changes the policy",
    invitation:
      "The dashed line is the value of each action. The filled curve is its probability. Lower the temperature, and the policy picks one peak. Raise it, and the policy tries all actions.",
    Picture: TemperaturePicture,
  },
  optimises: {
    lead: "Return plus entropy: each step earns its reward plus a bonus for the entropy of the policy.",
    formula: (
      <Formula spoken="The mean over time of the reward plus alpha times the entropy of the policy.">
        sum of r + α · entropy(π(·|s))
      </Formula>
    ),
    points: [
      <>
        α, the <Name>ent_coef</Name>, is tuned during training unless a preset fixes it. The tuning
        keeps the entropy near a target.
      </>,
      "Two critics learn the value of actions; the lower estimate is used, which reduces overestimation.",
      "The policy is a Gaussian squashed to the range −1 to 1. Greedy evaluations use its mean.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of past transitions: SAC is off-policy.",
    points: [
      "Usually one gradient step per environment step: SAC needs few environment steps, but much computing time.",
      <>
        The first <Name>learning_starts</Name> actions are uniformly random.
      </>,
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "ent_coef",
      does: "α: weight of the entropy bonus. None: tuned during training.",
      more: "explores longer; if too high, the reward has almost no influence.",
      less: "becomes deterministic sooner, possibly before it has found a good action.",
    },
    knobs.tau,
    knobs.batchSize,
    knobs.bufferSize,
    knobs.learningStarts,
    knobs.trainFreq,
    knobs.gradientSteps,
    knobs.gamma,
    knobs.returnSteps,
  ],
  failures: [
    { ...divergingLoss, metric: "train/critic_loss" },
    {
      id: "entropy-weight-vanishes",
      title: "α falls to almost zero early",
      curve: "collapse",
      metric: "train/ent_coef",
      see: "ent_coef drops below 0.001 while the return is still poor.",
      why: "The tuning lowers α because the policy's entropy is above the target. The policy then stops exploring.",
      try: "A fixed ent_coef (0.05 to 0.2), a larger learning_starts, or rewards on a smaller scale (normalize_rewards).",
    },
    failures.flat,
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    failures.forgetting,
    failures.tooShort,
  ],
  paper: {
    label: "Haarnoja et al. (2018), Soft Actor-Critic Algorithms and Applications",
    href: "https://arxiv.org/abs/1812.05905",
  },
};

export default function SacGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
