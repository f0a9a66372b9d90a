"use client";

import { Formula, Name } from "../../guide/formula";
import type { Guide } from "../../guide/guide";
import { type GuideProps, GuidePage } from "../../guide/guide-page";
import { divergingLoss, failures, stillExploring } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { replayFacts } from "../shared/replay-facts";
import { QuantilesPicture } from "./quantiles-picture";

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
