"use client";

import { useState } from "react";
import { Plot } from "@/charts/figure";
import { linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout } from "../picture";
import { RunDistribution, useNewestUpdate } from "../run-picture";
import { entropyCollapsed, failures, knobs, stillTap, valueLags } from "./shared";

const SHOWN = 40;
const MOST_STEPS = 32;

/** How many steps of observed rewards the advantage uses; after them, it relies on the value network. */
function AdvantagePicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [estimate, setEstimate] = useState<Estimate>({
    gamma: numberOf(hyperparameters, "gamma", 0.99),
    lambda: numberOf(hyperparameters, "gae_lambda", 1),
    steps: Math.min(numberOf(hyperparameters, "n_steps", 5), MOST_STEPS),
  });
  const change = (part: Partial<Estimate>) => setEstimate({ ...estimate, ...part });
  const { gamma, lambda, steps } = estimate;
  const said = `${shareText(reached(estimate))} of the total weight is on observed rewards. The rest is on the value network's estimate.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Weight of each step ahead in the advantage. ${said}`}
            height={320}
            x={{ domain: [-0.5, SHOWN - 0.5], ticks: linspace(0, 35, 7), label: "steps ahead" }}
            y={{ domain: [0, 1.15], ticks: linspace(0, 1, 4), label: "weight (γλ)ᵏ" }}
          >
            {({ x, y, top, bottom, right }) => {
              const width = Math.max((x(1) - x(0)) * 0.7, 1);
              return (
                <>
                  <rect
                    x={x(steps - 0.5)}
                    width={Math.max(right - x(steps - 0.5), 0)}
                    y={top}
                    height={bottom - top}
                    className="fill-rest-tint"
                  />
                  <text x={x(steps - 0.5) + 8} y={top + 16} className="fill-ink-soft">
                    estimated by the value network
                  </text>
                  {weights(estimate, SHOWN).map((weight, k) => (
                    <rect
                      key={k}
                      x={x(k) - width / 2}
                      y={y(weight)}
                      width={width}
                      height={bottom - y(weight)}
                      className={k < steps ? "fill-series-1" : "fill-none stroke-control-line"}
                    />
                  ))}
                </>
              );
            }}
          </Plot>
          {newest?.advantages && (
            <RunDistribution label="advantage" histogram={newest.advantages}>
              Grey: the advantages of the newest recorded update of this run, at step{" "}
              {count(newest.step)}, before normalisation.
            </RunDistribution>
          )}
        </>
      }
    >
      <Controls>
        <Control
          label="Rollout"
          symbol="n_steps"
          value={steps}
          min={1}
          max={MOST_STEPS}
          step={1}
          text={String(steps)}
          onChange={(next) => change({ steps: next })}
        />
        <Control
          label="Discount"
          symbol="γ"
          value={gamma}
          min={0.8}
          max={1}
          step={0.005}
          text={gamma.toFixed(3)}
          onChange={(next) => change({ gamma: next })}
        />
        <Control
          label="GAE"
          symbol="λ"
          value={lambda}
          min={0}
          max={1}
          step={0.05}
          text={lambda.toFixed(2)}
          onChange={(next) => change({ lambda: next })}
        />
      </Controls>
      <PictureCaption
        title={`The advantage uses about ${horizon(estimate).toFixed(1)} steps of observed rewards.`}
      >
        {said}{" "}
        {reached(estimate) < 0.3
          ? "Advantages have low variance, but they inherit the errors of the value network."
          : "Advantages depend less on the value network, and have a higher variance."}
      </PictureCaption>
    </PictureLayout>
  );
}

interface Estimate {
  gamma: number;
  lambda: number;
  /** Steps of a rollout; the rewards after them are estimated by the value network. */
  steps: number;
}

/** Weight (γλ)^k of the TD error k steps ahead in the advantage estimate (Schulman et al., 2016, equation 16). */
export function weights({ gamma, lambda }: Estimate, count: number): number[] {
  return Array.from({ length: count }, (_, k) => (gamma * lambda) ** k);
}

/** Share of the infinite sum of weights that lies within a rollout of `steps`. */
export function reached({ gamma, lambda, steps }: Estimate): number {
  return 1 - (gamma * lambda) ** steps;
}

/** Effective number of steps: the sum of the weights within the rollout. */
export function horizon(estimate: Estimate): number {
  return weights(estimate, estimate.steps).reduce((sum, weight) => sum + weight, 0);
}

function facts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 5);
  const rollout = environments * steps;
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${steps} steps` },
    {
      label: "Updates",
      value: count(Math.ceil(totalTimesteps / rollout)),
      note: "one gradient step each",
    },
    { label: "Each step is used", value: "once", note: "then discarded" },
  ];
}

const guide: Guide = {
  id: "a2c",
  idea: "Take a few steps in several environments at once, make the actions that did better than expected more likely, and repeat.",
  picture: {
    title: "How the advantage is computed",
    invitation:
      "Each bar shows how much weight the advantage gives to a reward that many steps ahead. After the end of the rollout, the value network estimates the rewards.",
    Picture: AdvantagePicture,
  },
  optimises: {
    lead: "The policy gradient: the logarithm of each action's probability, weighted by its advantage.",
    formula: (
      <Formula spoken="The mean of log pi of a given s, times A, plus the entropy bonus, minus the value loss.">
        mean of log π(a|s) · A + ent_coef · entropy − vf_coef · value loss
      </Formula>
    ),
    points: [
      <>
        The <b className="font-medium text-ink">critic</b> learns the value of each state. The{" "}
        <b className="font-medium text-ink">actor</b> learns to prefer actions whose return is
        higher than this value.
      </>,
      "Only the learning rate limits the size of an update. PPO adds a limit on the change of the policy.",
    ],
  },
  data: {
    lead: "The newest few steps of the policy, used for one gradient step and then discarded: A2C is on-policy.",
    points: [
      <>
        <Name>n_envs</Name> environments run <Name>n_steps</Name> steps, usually only a few. A2C
        therefore makes many small updates instead of a few large ones.
      </>,
      "More environments make each update less noisy, because their states differ.",
    ],
  },
  facts,
  knobs: [
    knobs.learningRate,
    knobs.environments,
    knobs.rolloutSteps,
    knobs.gamma,
    knobs.gaeLambda,
    knobs.entropyWeight,
    {
      name: "vf_coef",
      does: "Weight of the value loss, relative to the policy's loss.",
      more: "the critic learns faster; in shared layers, its gradient may dominate the policy's.",
      less: "the policy learns faster than the critic, so advantages stay noisy for longer.",
    },
  ],
  failures: [
    failures.unstable,
    failures.forgetting,
    entropyCollapsed,
    valueLags,
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    stillTap,
    failures.tooShort,
  ],
  paper: {
    label: "Mnih et al. (2016), Asynchronous Methods for Deep Reinforcement Learning",
    href: "https://arxiv.org/abs/1602.01783",
  },
};

export default function A2cGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
