"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { evaluationsQuery } from "@/api/evaluations";
import { recordsOf, stepsQuery } from "@/api/steps";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { ReadingFigures } from "@/player/reading/reading-figures";
import { chosenAction } from "@/player/reading/space";
import { Stat } from "@/ui/card";
import { type Guide, numberOf, type PictureProps } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout, RunNote } from "../picture";
import { replayFacts } from "./replay";
import { divergingLoss, failures, knobs, stillExploring, stillTap } from "./shared";

const MOST = 50;
const ROW = [0.56, 0.06] as const;

/** Two actions: DQN's estimate of each is a mean, QR-DQN's are quantiles of the return distribution. */
function QuantilesPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const used = numberOf(hyperparameters, "n_quantiles", 200);
  const [count, setCount] = useState(Math.min(used, 20));
  const [risk, setRisk] = useState(0.25);
  const actions: [string, Returns][] = [
    ["safe action", SAFE],
    ["risky action", risky(risk)],
  ];
  const gap = mean(risky(risk)) - mean(SAFE);
  const title =
    Math.abs(gap) < 0.5
      ? "Both actions have the same mean return, but different risks."
      : `The ${gap > 0 ? "risky" : "safe"} action is better by ${Math.abs(gap).toFixed(0)} on average.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Returns of two actions with ${count} quantiles each. ${title}`}
            height={340}
            x={{ domain: RANGE, ticks: linspace(0, 80, 4), label: "return" }}
            y={{ domain: [0, 1], ticks: [], label: "probability density" }}
          >
            {(frame) =>
              actions.map(([name, returns], i) => (
                <Row key={name} frame={frame} at={ROW[i] ?? 0} {...{ name, returns, count }} />
              ))
            }
          </Plot>
          {runId !== null && <RunQuantiles runId={runId} />}
        </>
      }
    >
      <Controls>
        <Control
          label="Quantiles"
          symbol="n_quantiles"
          value={count}
          min={1}
          max={MOST}
          step={1}
          text={String(count)}
          onChange={setCount}
        />
        <Control
          label="Risk that it fails"
          value={risk}
          min={0}
          max={0.6}
          step={0.05}
          text={shareText(risk)}
          onChange={setRisk}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="Mean, safe">{mean(SAFE).toFixed(0)}</Stat>
        <Stat label="Mean, risky">{mean(risky(risk)).toFixed(0)}</Stat>
      </dl>
      <PictureCaption title={title}>
        DQN learns only the two means. QR-DQN also learns that one action fails {shareText(risk)} of
        the time, although it still chooses by the mean. These settings use {used} quantiles.
      </PictureCaption>
    </PictureLayout>
  );
}

interface RowProps {
  frame: Frame;
  /** Position on the y axis. */
  at: number;
  name: string;
  returns: Returns;
  count: number;
}

const TALLEST = 0.1;
const HEIGHT = 0.36;

function Row({ frame: { x, y }, at, name, returns, count }: RowProps) {
  const base = y(at);
  const hill = linspace(RANGE[0], RANGE[1], 160).map(
    (value) => [x(value), y(at + (HEIGHT * density(returns, value)) / TALLEST)] as const,
  );
  const average = x(mean(returns));
  return (
    <>
      <path
        d={`${linePath([[x(RANGE[0]), base], ...hill, [x(RANGE[1]), base]])}Z`}
        className="fill-series-1/20 stroke-series-1"
      />
      <text x={x(RANGE[0]) + 6} y={base - 10} className="fill-ink font-medium">
        {name}
      </text>
      {quantiles(returns, count).map((value, i) => (
        <line
          key={i}
          x1={x(value)}
          x2={x(value)}
          y1={base - 6}
          y2={base + 7}
          className="stroke-series-1"
          strokeWidth={2}
        />
      ))}
      <line
        x1={average}
        x2={average}
        y1={y(at + HEIGHT)}
        y2={base}
        className="stroke-ink"
        strokeDasharray="4 3"
      />
      <text x={average + 5} y={y(at + HEIGHT) + 8} className="fill-ink">
        mean
      </text>
    </>
  );
}

interface Part {
  weight: number;
  mean: number;
  std: number;
}

/** The return distribution of an action: a mixture of Gaussians. */
type Returns = readonly Part[];

export const SAFE: Returns = [{ weight: 1, mean: 50, std: 5 }];

/**
 * An action with a high return that fails with probability `risk`. At 0.25 its mean equals that of the safe
 * action.
 */
export function risky(risk: number): Returns {
  return [
    { weight: 1 - risk, mean: 60, std: 4 },
    { weight: risk, mean: 20, std: 4 },
  ];
}

export function mean(returns: Returns): number {
  return returns.reduce((sum, part) => sum + part.weight * part.mean, 0);
}

function density(returns: Returns, at: number): number {
  return returns.reduce(
    (sum, { weight, mean: mu, std }) =>
      sum +
      (weight * Math.exp(-((at - mu) ** 2) / (2 * std ** 2))) / (std * Math.sqrt(2 * Math.PI)),
    0,
  );
}

const RANGE = [0, 80] as const;
const CELLS = 1_600;

/** Values at the midpoints (2i − 1) ÷ 2N: the N quantiles QR-DQN learns (Dabney et al., 2017, lemma 2). */
export function quantiles(returns: Returns, count: number): number[] {
  const grid = linspace(RANGE[0], RANGE[1], CELLS);
  const width = (RANGE[1] - RANGE[0]) / CELLS;
  const found: number[] = [];
  let below = 0;
  for (const at of grid) {
    below += density(returns, at) * width;
    while (found.length < count && below >= (2 * found.length + 1) / (2 * count)) found.push(at);
  }
  while (found.length < count) found.push(RANGE[1]);
  return found;
}

/** The quantiles that a run has learned: those of each action at the start of its newest evaluation. */
function RunQuantiles({ runId }: { runId: string }) {
  const { data: evaluations } = useQuery(evaluationsQuery(runId));
  const evaluation = evaluations?.find(({ has_steps: recorded }) => recorded);
  const { data: steps } = useQuery({
    ...stepsQuery(runId, evaluation?.id ?? "", { episode: 0, from: 0, to: 2 }),
    enabled: evaluation !== undefined,
  });
  const [first, next] = steps ? recordsOf(steps) : [];
  if (!evaluation || !steps || !first?.reading?.quantiles) return null;
  const { action } = steps.info;
  return (
    <div className="mt-4 flex flex-col gap-1">
      <ReadingFigures
        record={first}
        action={action}
        chosen={chosenAction(first, next ?? null, evaluation.deterministic, action)}
      />
      <RunNote>
        The return quantiles of each action at the start of an episode, from this run&apos;s policy
        at step {count(evaluation.checkpoint_step)}.
      </RunNote>
    </div>
  );
}

const guide: Guide = {
  id: "qrdqn",
  idea: "DQN that learns the whole distribution of each action's return instead of only its mean.",
  picture: {
    title: "Two actions with the same mean return",
    invitation:
      "Each curve is the return distribution of an action. The ticks are the quantiles that QR-DQN learns; the dashed line is the mean, which is all that DQN learns. Change the risk to see what each algorithm detects.",
    Picture: QuantilesPicture,
  },
  optimises: {
    lead: "The quantile Huber loss: each of N outputs learns its own quantile of the return.",
    formula: (
      <Formula spoken="Every quantile of Z of s and a moves towards r plus gamma times every quantile of Z at the best next action.">
        Zᵢ(s, a) → r + γ · Zⱼ(s′, best a′), for all i, j
      </Formula>
    ),
    points: [
      "For the 10 % quantile, an estimate that is too high costs nine times as much as one that is too low.",
      "Like DQN, it takes the action with the highest mean. The advantage is in learning: each transition gives many targets, which makes the signal more stable.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of past transitions, as in DQN.",
    points: [
      <>
        As in DQN, a share ε of the actions is random. ε falls over the first{" "}
        <Name>exploration_fraction</Name> of training.
      </>,
      "The DQN guide shows how ε and the replay buffer change; QR-DQN works the same way.",
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "n_quantiles",
      does: "Quantiles learned for each action.",
      more: "describes the return in more detail; takes more computing time.",
      less: "describes the return in less detail; a single quantile is the median.",
    },
    knobs.explorationFraction,
    knobs.finalEpsilon,
    knobs.bufferSize,
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
    failures.flat,
    failures.forgetting,
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    stillTap,
    failures.tooShort,
  ],
  paper: {
    label: "Dabney et al. (2017), Distributional Reinforcement Learning with Quantile Regression",
    href: "https://arxiv.org/abs/1710.10044",
  },
};

export default function QrDqnGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
