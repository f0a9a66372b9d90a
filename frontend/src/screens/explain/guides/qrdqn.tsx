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
import { divergingLoss, failures, knobs, stillExploring } from "./shared";

const MOST = 50;
const ROW = [0.56, 0.06] as const;

/** Two actions with DQN's estimate of each, a mean, and QR-DQN's, quantiles of the return distribution. */
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
      ? "The means are the same; the actions are not."
      : `The ${gap > 0 ? "risky" : "safe"} action is better by ${Math.abs(gap).toFixed(0)} on average.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Returns of two actions with ${count} quantiles each. ${title}`}
            height={340}
            x={{ domain: RANGE, ticks: linspace(0, 80, 4), label: "return" }}
            y={{ domain: [0, 1], ticks: [], label: "how likely" }}
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
        DQN keeps the two means alone. QR-DQN also learns that one action fails {shareText(risk)} of
        the time, though it, too, acts on the mean of its quantiles. Used here: {used}.
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

/** The quantiles that a run has learned: of each action, where the episodes of its newest evaluation begin. */
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
        What the policy of this run, of step {count(evaluation.checkpoint_step)}, expects of each
        action where an episode begins.
      </RunNote>
    </div>
  );
}

const guide: Guide = {
  id: "qrdqn",
  idea: "DQN with more to say about each action: not what it pays on average, but how what it pays is spread.",
  picture: {
    title: "The same mean, another action",
    invitation:
      "Each hill is what an action may pay; the ticks under it are the quantiles QR-DQN learns, the dashed line is all that DQN keeps. Change the risk and watch which of the two notices.",
    Picture: QuantilesPicture,
  },
  optimises: {
    lead: "The quantile Huber loss: each of N outputs is pushed towards its own quantile of the return.",
    formula: (
      <Formula spoken="Every quantile of Z of s and a moves towards r plus gamma times every quantile of Z at the best next action.">
        Zᵢ(s, a) → r + γ · Zⱼ(s′, best a′), for all i, j
      </Formula>
    ),
    points: [
      "An output that should be exceeded nine times in ten is punished nine times as hard for being too high as for being too low.",
      "It acts like DQN, on the mean of the quantiles. The gain is in learning: many targets for each transition give a steadier signal.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of its own past, as DQN does.",
    points: [
      <>
        Exploration is ε again; its schedule is <Name>exploration_fraction</Name> of training.
      </>,
      "DQN's picture of ε and the buffer holds here, too.",
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "n_quantiles",
      does: "Quantiles learned for each action.",
      more: "a finer picture of the return, more to compute.",
      less: "coarser; with one it learns the median.",
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
