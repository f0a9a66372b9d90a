"use client";

import { Formula, Name } from "../../guide/formula";
import type { Guide } from "../../guide/guide";
import { type GuideProps, GuidePage } from "../../guide/guide-page";
import { divergingLoss, failures, stillExploring } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { replayFacts } from "../shared/replay-facts";
import { ReplayPicture } from "./replay-picture";

const guide: Guide = {
  id: "dqn",
  idea: "Learn what every action is worth, take the best one, and now and then a random one to find out what is better still.",
  picture: {
    title: "Exploration and memory through training",
    invitation:
      "Drag through training, with this preset's own numbers. The line is ε, the share of random actions; the strip is what the replay buffer holds at that step, and so what is learned from.",
    Picture: ReplayPicture,
  },
  optimises: {
    lead: "The Bellman error: an action's value should be its reward plus the best value of what follows.",
    formula: (
      <Formula spoken="The error of Q of s and a, against r plus gamma times the largest target Q of the next state.">
        Q(s, a) → r + γ · max Q<sub>target</sub>(s′, ·)
      </Formula>
    ),
    points: [
      <>
        The right side comes from a <b className="font-medium text-ink">target network</b>, a copy
        renewed every <Name>target_update_interval</Name> steps: without it, the values would chase
        themselves.
      </>,
      "The policy is never learned by itself: it takes the action of the highest value. Small errors in values can flip it, which is why returns swing.",
      "Taking the maximum of noisy values is optimistic: estimates tend to come out too high.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of its own past: off-policy.",
    points: [
      "Every transition is stored and drawn many times, so few environment steps are wasted.",
      <>
        Drawing at random breaks up sequences of near-equal states. What is older than{" "}
        <Name>buffer_size</Name> is forgotten, mistakes included.
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
      see: "The loss creeps up over a long time while the return stays or falls.",
      why: "Too optimistic values feed on themselves through the maximum.",
      try: "A slower target, a lower learning rate, fewer gradient steps; QR-DQN is often steadier.",
    },
    failures.plateau,
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
